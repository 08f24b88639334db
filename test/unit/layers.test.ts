import { globSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect, test } from "vitest";

const src = resolve(import.meta.dirname, "../../src");

/**
 * What a folder or file of src/ may import from the others, and, for the layers that are to know nothing of what they
 * carry, from packages.
 */
const layers: Record<string, { from: readonly string[]; packages?: readonly string[] }> = {
  protocol: { from: [], packages: ["zod"] },
  pi: { from: ["protocol"], packages: ["node:", "execa", "zod"] },
  editor: { from: ["protocol"], packages: ["node:", "vscode-jsonrpc"] },
  bridge: { from: ["protocol", "pi", "editor"] },
  features: { from: ["protocol", "pi", "editor", "bridge"] },
  trace: { from: [], packages: ["node:"] },
  "serve.ts": { from: ["protocol", "pi", "editor", "bridge", "features", "trace"] },
  doctor: { from: ["protocol", "pi", "editor", "bridge", "serve.ts"] },
  demo: { from: ["protocol", "pi", "bridge"] },
  "help.ts": { from: [] },
  "command-line.ts": { from: ["protocol", "pi", "bridge", "serve.ts", "doctor", "demo", "trace", "help.ts"] },
  "main.ts": { from: ["command-line.ts"] },
  "exports.ts": { from: ["protocol"] },
};

interface Import {
  file: string;
  specifier: string;
  /** Gone when the types are. */
  isType: boolean;
}

const files = globSync("**/*.ts", { cwd: src });
const imports = files.flatMap((file): Import[] => {
  const text = readFileSync(join(src, file), "utf8");
  const found = text.matchAll(
    /^(?:import|export)(?<type> type)? [\w*{][^"'=();]* from "(?<name>[^"]+)";$|^import "(?<bare>[^"]+)";$|\bimport\("(?<late>[^"]+)"\)/gm,
  );
  return [...found].map(({ groups }) => ({
    file,
    specifier: groups?.name ?? groups?.bare ?? groups?.late ?? "",
    isType: groups?.type !== undefined,
  }));
});

const layerOf = (file: string) => file.split(/[/\\]/)[0] as string;
/** The file of src/ that is meant; undefined for a package, and for what lies outside. */
function target({ file, specifier }: Import): string | undefined {
  if (!specifier.startsWith(".")) return undefined;
  const path = relative(src, resolve(src, dirname(file), specifier));
  return path.startsWith("..") ? undefined : path;
}

test("every layer is in the table, and there is something to check", () => {
  expect([...new Set(files.map(layerOf))].toSorted()).toEqual(Object.keys(layers).toSorted());
  expect(imports.length).toBeGreaterThan(400);
  const relatives = imports.filter(({ specifier }) => specifier.startsWith("."));
  expect(relatives.map(target).filter((path) => path !== undefined && !files.includes(path))).toEqual([]);
});

test("imports point downwards", () => {
  const wrong = imports.filter((one) => {
    const path = target(one);
    if (path === undefined) return false;
    const [from, to] = [layerOf(one.file), layerOf(path)];
    return from !== to && !layers[from]?.from.includes(to);
  });
  expect(wrong).toEqual([]);
});

test("a layer uses its own packages only", () => {
  const wrong = imports.filter(({ file, specifier }) => {
    const packages = layers[layerOf(file)]?.packages;
    if (specifier.startsWith(".") || !packages) return false;
    return !packages.some((name) => specifier === name || specifier.startsWith(name.endsWith(":") ? name : `${name}/`));
  });
  expect(wrong).toEqual([]);
});

test("no file needs itself to be loaded", () => {
  const needs = new Map<string, string[]>();
  for (const one of imports) {
    const path = target(one);
    if (path !== undefined && !one.isType) needs.set(one.file, [...(needs.get(one.file) ?? []), path]);
  }
  const done = new Set<string>();
  const circles: string[][] = [];
  const visit = (file: string, path: readonly string[]) => {
    if (path.includes(file)) return void circles.push([...path.slice(path.indexOf(file)), file]);
    if (done.has(file)) return;
    for (const next of needs.get(file) ?? []) visit(next, [...path, file]);
    done.add(file);
  };
  for (const file of files) visit(file, []);
  expect(circles).toEqual([]);
});
