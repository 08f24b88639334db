import { createRequire } from "node:module";
import type * as Photon from "@silvia-odwyer/photon-node";

/** Models look at no more than this, so that nothing is lost by the first step. */
const LONGEST_SIDE = 2000;
const QUALITY = 80;
const STEPS = 6;

/**
 * The image as a JPEG of at most `limit` bytes; undefined when it cannot be made so small, or not be decoded.
 * Synchronous, and loaded only when an image needs it: the library is a megabyte of WebAssembly.
 */
export function shrink(bytes: Buffer, limit: number): Buffer | undefined {
  const photon: typeof Photon = createRequire(import.meta.url)("@silvia-odwyer/photon-node");
  let image: Photon.PhotonImage | undefined;
  try {
    image = photon.PhotonImage.new_from_byteslice(bytes);
    const [width, height] = [image.get_width(), image.get_height()];
    let scale = Math.min(1, LONGEST_SIDE / Math.max(width, height));
    for (let step = 0; step < STEPS; step++, scale *= 0.7) {
      const [w, h] = [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))];
      const small = photon.resize(image, w, h, photon.SamplingFilter.Lanczos3);
      const jpeg = Buffer.from(small.get_bytes_jpeg(QUALITY));
      small.free();
      if (jpeg.length <= limit) return jpeg;
    }
    return undefined;
  } catch {
    return undefined;
  } finally {
    image?.free();
  }
}
