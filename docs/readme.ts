/** The parts of the README that are made from something else, between `<!-- begin: x -->` and `<!-- end: x -->`. */
import { readFileSync } from "node:fs";
import { HELP } from "../src/help.ts";
import { optionTable } from "./intro.ts";

const LANGUAGES: Record<string, string> = { mjs: "js", py: "python", sh: "sh" };

/** CURRENT, with each made part made anew. */
export function readmePage(current: string): string {
  return current.replaceAll(
    /(<!-- begin: (\S+) -->\n).*?(<!-- end: \2 -->)/gs,
    (_, begin: string, what: string, end: string) => `${begin}${part(what)}\n${end}`,
  );
}

function part(what: string): string {
  if (what === "options") return optionTable();
  if (what === "help") return fenced("text", HELP);
  const source = readFileSync(new URL(`../${what}`, import.meta.url), "utf8");
  return fenced(LANGUAGES[what.split(".").at(-1) ?? ""] ?? "", source);
}

function fenced(language: string, text: string): string {
  return `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``;
}
