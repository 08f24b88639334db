import { readFileSync } from "node:fs";
import { join } from "node:path";
import { checkout } from "../neovim/roots.ts";

/** The blocks of code in a page of docs/editors, in order: what people are told to write is what is tested. */
export function blocksOf(page: string, language: string): string[] {
  const text = readFileSync(join(checkout, "docs/editors", page), "utf8");
  return [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].flatMap(([, of, code = ""]) =>
    of === language ? [code] : [],
  );
}

/** CODE with WORDS in the place of what starts the server in it. */
export function withServer(code: string, documented: string, words: string): string {
  if (!code.includes(documented)) throw new Error(`no ${documented} in:\n${code}`);
  return code.replace(documented, () => words);
}
