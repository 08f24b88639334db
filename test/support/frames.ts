/** Content-Length frames, read and written by code that shares nothing with the bridge's own. */
export function frame(body: string | Buffer): Buffer {
  const bytes = Buffer.from(body);
  return Buffer.concat([Buffer.from(`Content-Length: ${bytes.length}\r\n\r\n`, "ascii"), bytes]);
}

/** Cuts a stream into bodies. Throws at the first byte that the base protocol does not allow. */
export class Unframer {
  private chunks: Buffer[] = [];
  private bytes = 0;
  /** How many bytes must be there before it is worth looking again. */
  private wanted = 0;

  push(chunk: Buffer): Buffer[] {
    this.chunks.push(chunk);
    this.bytes += chunk.length;
    if (this.bytes < this.wanted) return [];
    const bodies: Buffer[] = [];
    let rest = Buffer.concat(this.chunks);
    for (;;) {
      const end = rest.indexOf("\r\n\r\n");
      const head = rest.toString("latin1", 0, end === -1 ? Math.min(rest.length, 64) : end);
      if (end === -1) {
        if (!"Content-Length: ".startsWith(head.slice(0, 16))) throw new Error(`no header: ${JSON.stringify(head)}`);
        this.wanted = 0;
        break;
      }
      const length = /^Content-Length: (\d+)$/.exec(head)?.[1];
      if (length === undefined) throw new Error(`no header: ${JSON.stringify(head)}`);
      const total = end + 4 + Number(length);
      if (rest.length < total) {
        this.wanted = total;
        break;
      }
      bodies.push(rest.subarray(end + 4, total));
      rest = rest.subarray(total);
    }
    this.chunks = [rest];
    this.bytes = rest.length;
    return bodies;
  }

  /** True when the stream may end here. */
  get isBetweenFrames(): boolean {
    return this.bytes === 0;
  }
}
