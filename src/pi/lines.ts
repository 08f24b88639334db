const LF = 10;
const CR = 13;

/**
 * Cuts a byte stream at LF, and only there: U+2028 and its like are text. A final CR is dropped.
 *
 * A line that spans many chunks is joined once, when it ends, so that the cost is linear in its length.
 */
export class LineSplitter {
  private parts: Buffer[] = [];

  /** The lines that `chunk` completes, without their ends. They may share memory with `chunk`. */
  push(chunk: Buffer): Buffer[] {
    const lines: Buffer[] = [];
    let start = 0;
    for (let end = chunk.indexOf(LF); end !== -1; end = chunk.indexOf(LF, start)) {
      lines.push(this.complete(chunk.subarray(start, end)));
      start = end + 1;
    }
    if (start < chunk.length) this.parts.push(chunk.subarray(start));
    return lines;
  }

  /** What came after the last LF. The splitter is empty afterwards. */
  rest(): Buffer {
    return this.complete(Buffer.alloc(0));
  }

  private complete(last: Buffer): Buffer {
    let line = last;
    if (this.parts.length > 0) {
      this.parts.push(last);
      line = Buffer.concat(this.parts);
      this.parts = [];
    }
    return line[line.length - 1] === CR ? line.subarray(0, -1) : line;
  }
}
