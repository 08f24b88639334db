import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { expandHome } from "../pi/agent-dir.ts";
import { PiError } from "../pi/error.ts";
import { shrink } from "./shrink.ts";

export interface ImageRules {
  /** Relative paths are below it. */
  cwd: string;
  /** Bytes of the line to pi that the images of one message may take, as base64. */
  limit: number;
  /** Make an image that is too large smaller, instead of refusing it. */
  shrink: boolean;
}

/** No camera writes larger files, and a mistyped path to a disk image must not be read into memory. */
const MAX_FILE_BYTES = 100 * 1024 * 1024;

/** The types that models take, by the bytes that their files begin with. */
const SIGNATURES: readonly { mimeType: string; matches(bytes: Buffer): boolean }[] = [
  { mimeType: "image/png", matches: (bytes) => bytes.readUInt32BE(0) === 0x89504e47 },
  { mimeType: "image/jpeg", matches: (bytes) => bytes.readUIntBE(0, 3) === 0xffd8ff },
  { mimeType: "image/gif", matches: (bytes) => bytes.toString("latin1", 0, 4) === "GIF8" },
  {
    mimeType: "image/webp",
    matches: (bytes) => bytes.toString("latin1", 0, 4) === "RIFF" && bytes.toString("latin1", 8, 12) === "WEBP",
  },
];

/**
 * The params with each image of the form `{type: "image", path}` replaced by the image itself; everything else is left
 * to validation. The files are read before this returns, so that the message keeps its place in the order.
 * @throws PiError `invalid_params` or `too_large`
 */
export function withImages(method: string, params: unknown, rules: ImageRules): unknown {
  const { images } = Object(params) as { images?: unknown };
  if (!Array.isArray(images) || !images.some(isFromFile)) return params;
  const share = Math.floor(rules.limit / images.length);
  const read = images.map((image, at) => {
    if (!isFromFile(image)) return image;
    return { type: "image", ...readImage(image.path, rules, share, { method, at }) };
  });
  return { ...(params as object), images: read };
}

function isFromFile(image: unknown): image is { type: "image"; path: string } {
  const { type, path, ...rest } = Object(image) as Record<string, unknown>;
  return type === "image" && typeof path === "string" && Object.keys(rest).length === 0;
}

function readImage(path: string, rules: ImageRules, share: number, where: { method: string; at: number }) {
  const file = resolve(rules.cwd, pathOf(path));
  const wrong = (message: string) =>
    new PiError(`${where.method}: ${message}`, {
      kind: "invalid_params",
      issues: [{ path: ["images", where.at, "path"], message }],
    });
  let bytes: Buffer;
  try {
    const stat = statSync(file);
    const { size } = stat;
    // A pipe or a device would be read for ever.
    if (!stat.isFile()) throw new Error("it is not a file");
    if (size > MAX_FILE_BYTES) throw new Error(`it has ${size} bytes; more than ${MAX_FILE_BYTES} are not read`);
    bytes = readFileSync(file);
  } catch (error) {
    throw wrong(`the image ${file} cannot be read: ${(error as Error).message}`);
  }
  const mimeType = bytes.length >= 12 ? SIGNATURES.find(({ matches }) => matches(bytes))?.mimeType : undefined;
  if (!mimeType) throw wrong(`${file} is no image of a type that models take (PNG, JPEG, GIF, WebP)`);
  const encoded = base64Length(bytes.length);
  if (encoded <= share) return { data: bytes.toString("base64"), mimeType };
  const hint = rules.shrink ? "" : " Make it smaller, or set the option `shrinkImages`.";
  const small = rules.shrink ? shrink(bytes, Math.floor((share * 3) / 4)) : undefined;
  if (small) return { data: small.toString("base64"), mimeType: "image/jpeg" };
  throw new PiError(
    `${where.method}: the image ${file} is too large for pi: ${encoded} bytes as base64, the limit is ${share}.${hint}`,
    { kind: "too_large", bytes: encoded, limit: share },
  );
}

/** A path, as people and editors write it: `~/…` and `file://…` too. */
function pathOf(text: string): string {
  if (/^file:/i.test(text)) {
    try {
      return fileURLToPath(text);
    } catch {
      return text;
    }
  }
  return expandHome(text, process.env);
}

function base64Length(bytes: number): number {
  return Math.ceil(bytes / 3) * 4;
}
