import { inspect, styleText } from "node:util";

type Style = Parameters<typeof styleText>[0];

/** The column in which a message's content begins. */
const CONTENT = 30;
const WIDTH = Math.max(60, Math.min(process.stdout.columns ?? 100, 120));

/** The line of a stream, not finished yet: the column it has come to, and whether a new line is due. */
interface Line {
  name: string;
  column: number;
  breaks: boolean;
}

/** Shows messages in both directions, one a line; pieces of a stream are put together as they arrive. */
export class Screen {
  private readonly out: NodeJS.WriteStream;
  private open: Line | undefined;

  constructor(out: NodeJS.WriteStream) {
    this.out = out;
  }

  heading(text: string): void {
    this.finish();
    this.out.write(`\n${this.style("bold", text)}\n`);
  }

  sent(method: string, content = ""): void {
    this.line(this.style("cyan", "→"), method, content);
  }

  received(method: string, content = "", style: Style = "green"): void {
    this.line(this.style(style, "←"), method, content);
  }

  /** A piece of a streamed text. It goes on in the line of the last piece, if nothing came between. */
  piece(method: string, name: string, text: string, style: Style = "reset"): void {
    if (this.open?.name !== name) {
      this.finish();
      this.out.write(`${this.style("green", "←")} ${method.padEnd(CONTENT - 2)}`);
      this.open = { name, column: CONTENT, breaks: false };
    }
    for (const word of text.match(/\n|[^\S\n]*\S+|[^\S\n]+/g) ?? []) this.word(this.open, word, style);
  }

  text(text: string, style: Style = "reset"): void {
    this.finish();
    this.out.write(`${this.style(style, text)}\n`);
  }

  /** A message's content whole, in as few lines as it takes. */
  value(value: unknown): void {
    this.text(inspect(value, { depth: 8, compact: 4, breakLength: WIDTH - 2 }).replaceAll(/^/gm, "  "), "dim");
  }

  /** Text that is broken between words. */
  paragraph(text: string, style: Style = "reset"): void {
    this.finish();
    const line = { name: "", column: 0, breaks: false };
    for (const word of text.match(/\s*\S+/g) ?? []) this.word(line, word, style, 0);
    this.out.write("\n");
  }

  private word(line: Line, word: string, style: Style, indent = CONTENT): void {
    // A line's end is shown when something follows it.
    if (word === "\n") {
      line.breaks = true;
      return;
    }
    const fits = !line.breaks && line.column + word.length <= WIDTH;
    const shown = fits ? word : word.trimStart();
    this.out.write(`${fits ? "" : `\n${" ".repeat(indent)}`}${this.style(style, shown)}`);
    line.column = (fits ? line.column : indent) + shown.length;
    line.breaks = false;
  }

  private line(arrow: string, method: string, content: string): void {
    this.finish();
    const room = WIDTH - CONTENT;
    const short = content.length > room ? `${content.slice(0, room - 1)}…` : content;
    this.out.write(`${arrow} ${method.padEnd(CONTENT - 2)}${this.style("dim", short)}\n`);
  }

  private finish(): void {
    if (this.open) this.out.write("\n");
    this.open = undefined;
  }

  /** Colour on a terminal, or where it is asked for; NO_COLOR and FORCE_COLOR are heard. */
  private style(style: Style, text: string): string {
    return text === "" ? "" : styleText(style, text, { stream: this.out });
  }
}
