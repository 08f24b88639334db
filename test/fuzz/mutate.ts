import type { Random } from "../support/random.ts";

/** What a value may become. */
const STRANGE: readonly string[] = [
  ...["null", "true", "0", "-1", "1e400", "12345678901234567890", "[]", "{}", '""', '"x"', '"\\ud800"', "[null]"],
  ...['{"__proto__":{"x":1}}', '{"constructor":1}', '"$/cancelRequest"', '"initialize"', '"file:///"', '"\\u0000"'],
  `"${"x".repeat(10_000)}"`,
  `${"[".repeat(2000)}${"]".repeat(2000)}`,
  `${'{"a":'.repeat(2000)}1${"}".repeat(2000)}`,
];

/** A JSON text with one value or one name in it replaced by another: still JSON, but no longer what was meant. */
export function mutateValue(json: string, random: Random): string {
  const values = [...json.matchAll(/"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?|true|false|null|\{\}|\[\]/g)];
  const value = random.pick(values);
  if (!value) return random.pick(STRANGE);
  const isName = json[value.index + value[0].length] === ":";
  const other = isName ? JSON.stringify(random.pick(["id", "method", "x", "__proto__", "type"])) : random.pick(STRANGE);
  return json.slice(0, value.index) + other + json.slice(value.index + value[0].length);
}

/** The bytes with something flipped, left out, put in, repeated or cut. */
export function mutateBytes(bytes: Buffer, random: Random): Buffer {
  const at = random.below(bytes.length + 1);
  const to = Math.min(bytes.length, at + random.below(20));
  const [before, part, after] = [bytes.subarray(0, at), bytes.subarray(at, to), bytes.subarray(to)];
  switch (random.below(6)) {
    case 0: {
      const flipped = Buffer.from(bytes);
      flipped[at] = (flipped[at] ?? 0) ^ (1 << random.below(8));
      return flipped;
    }
    case 1:
      return Buffer.concat([before, after]);
    case 2:
      return Buffer.concat([before, random.bytes(random.below(20)), part, after]);
    case 3:
      return Buffer.concat([before, part, part, after]);
    case 4:
      return Buffer.from(before);
    default:
      return Buffer.concat([
        before,
        Buffer.from(random.pick(["\r\n", "\n\n", "Content-Length: ", "\u2028", "\0"])),
        part,
        after,
      ]);
  }
}
