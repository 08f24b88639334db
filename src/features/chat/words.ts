/** Escape sequences for terminals. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const ANSI = /\u001b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g;
/** Some editors take these for line breaks; then positions behind them would not be the same on both sides. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const ODD_BREAKS = /[\u000b\u000c\u0085\u2028\u2029]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROLS = /[\u0000-\u0008\u000e-\u001f\u007f]/g;

/** Text as it may stand in a document that an editor shows. */
export function clean(text: string): string {
  return text
    .replace(/\r\n?/g, "\n")
    .replace(ANSI, "")
    .replace(ODD_BREAKS, " ")
    .replace(CONTROLS, "\ufffd")
    .toWellFormed();
}

/** The first line that has something in it, cut at MOST characters. */
export function firstLine(text: string, most: number): string {
  const line = /\S.*/.exec(clean(text))?.[0].trim() ?? "";
  return line.length > most ? `${[...line].slice(0, most).join("")}…` : line;
}

/** As inline code. */
export function code(text: string): string {
  const ticks = text.includes("`") ? "``" : "`";
  const pad = text.startsWith("`") || text.endsWith("`") ? " " : "";
  return `${ticks}${pad}${text}${pad}${ticks}`;
}

/** A fenced block of TEXT, cut at MOST lines. REST says where the others are. */
export function fenced(text: string, language: string, most: number, rest = ""): string {
  const lines = clean(text).replace(/\n+$/, "").split("\n");
  const shown = lines.slice(0, most);
  const fence = "`".repeat(Math.max(3, ...shown.map((line) => (/^\s*(`{3,})/.exec(line)?.[1]?.length ?? 2) + 1)));
  const more = lines.length > most ? `\n… ${lines.length - most} more lines${rest}` : "";
  return `${fence}${language}\n${shown.join("\n")}${more}\n${fence}`;
}

/** `14 lines, 1.2 kB`. */
export function size(text: string): string {
  const lines = text === "" ? 0 : text.replace(/\n$/, "").split("\n").length;
  const bytes = Buffer.byteLength(text);
  const amount =
    bytes < 1000 ? `${bytes} B` : bytes < 1e6 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
  return lines === 0 ? "no output" : `${lines} line${lines === 1 ? "" : "s"}, ${amount}`;
}

/** What went wrong, and what to do about it. */
export function withHint(error: unknown): string {
  const { message, data } = Object(error) as { message?: unknown; data?: { hint?: unknown } };
  const hint = data?.hint;
  return typeof hint === "string" ? `${message} ${hint}` : String(message ?? error);
}
