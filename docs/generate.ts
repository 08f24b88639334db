/**
 * Writes the generated documents: `node docs/generate.ts`. With `--check` it writes nothing and fails if one is stale,
 * naming it.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { openrpcDocument } from "../src/protocol/openrpc.ts";
import { elispData } from "./elisp.ts";
import { luaData } from "./lua.ts";
import { protocolPage } from "./protocol.ts";
import { readmePage } from "./readme.ts";

const manifest = JSON.parse(read("../package.json") ?? "{}") as { version: string };

/** What each generated file must contain, by its path from this directory. */
export const generated: Record<string, () => string> = {
  "PROTOCOL.md": protocolPage,
  "openrpc.json": () => `${JSON.stringify(openrpcDocument(manifest.version), null, 2)}\n`,
  "../clients/emacs/pi-ls-data.el": elispData,
  "../clients/neovim/lua/pi_ls/data.lua": luaData,
  "../README.md": () => readmePage(read("../README.md") ?? ""),
};

export function staleFiles(): string[] {
  return Object.keys(generated).filter((file) => read(file) !== generated[file]?.());
}

if (import.meta.main) {
  const stale = staleFiles();
  if (process.argv.includes("--check")) {
    for (const file of stale) console.error(`docs/${file} is stale. Run: node docs/generate.ts`);
    process.exitCode = stale.length > 0 ? 1 : 0;
  } else {
    for (const file of stale) {
      writeFileSync(new URL(file, import.meta.url), generated[file]?.() ?? "");
      console.log(`docs/${file}`);
    }
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(new URL(file, import.meta.url), "utf8");
  } catch {
    return undefined;
  }
}
