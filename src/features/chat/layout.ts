/** The headings of a chat document. The transcript stands above the last `## You`, the prompt below it. */
export const YOU = "## You";
export const PI = "## pi";

export interface Heading {
  start: number;
  /** The end of the line, its line break not counted. */
  end: number;
}

/** The line break that the document uses. */
export function eolOf(text: string): "\n" | "\r\n" {
  return text.includes("\r\n") ? "\r\n" : "\n";
}

/** As it is written and looked for, whichever line breaks the editor, or pi, has. */
export function withLf(text: string): string {
  return text.replaceAll(/\r\n?/g, "\n");
}

export function headings(text: string, title = YOU): Heading[] {
  const pattern = new RegExp(`^${title}[ \\t]*$`, "gm");
  return [...text.matchAll(pattern)].map(({ index, 0: line }) => ({ start: index, end: index + line.length }));
}

/** The heading that the prompt stands below. */
export function promptHeading(text: string): Heading | undefined {
  return headings(text).at(-1);
}

/** The first heading that begins at OFFSET or behind it. */
export function headingAfter(text: string, offset: number): Heading | undefined {
  return headings(text).find(({ start }) => start >= offset);
}

/** The last turn is pi's: the heading of the prompt behind it was deleted, and what stands below another one is none. */
export function isHeadingLost(text: string): boolean {
  const answer = headings(text, PI).at(-1);
  return answer !== undefined && answer.start > (promptHeading(text)?.start ?? -1);
}

/** What the person has written and not sent. */
export function promptOf(text: string): string {
  return text.slice(promptStartOf(text) ?? text.length).trim();
}

/** Where the prompt begins: below the last heading. A file without any is a prompt, but for the session's line. */
export function promptStartOf(text: string): number | undefined {
  const heading = promptHeading(text);
  if (heading) {
    const [eol] = /^\r?\n|^\r/.exec(text.slice(heading.end, heading.end + 2)) ?? [];
    return eol === undefined ? undefined : heading.end + eol.length;
  }
  if (headings(text, PI).length > 0) return undefined;
  const session = SESSION.exec(text);
  return session && text.slice(0, session.index).trim() === "" ? session.index + session[0].length : 0;
}

/** Where a person goes on writing: at the end of the prompt. Behind the last line break some editors have no line. */
export function writingPlace(text: string): number {
  const end = text.trimEnd().length;
  const start = promptStartOf(text) ?? end;
  return start > end && start < text.length ? start : end;
}

/** Where the transcript ends, given the start of the heading below it: before the blank line. */
export function transcriptEnd(text: string, headingStart: number): number {
  let end = headingStart;
  for (let lines = 0; lines < 2 && text[end - 1] === "\n"; lines++) end -= 1;
  return end;
}

/** A new chat document. TITLE is one line. */
export function newChat(title: string): string {
  return `# ${title}\n\n${YOU}\n\n`;
}

const SESSION = /^<!-- pi session: (\S+) -->[ \t]*$/m;

/** The session that the transcript was taken from. */
export function sessionOf(text: string): string | undefined {
  return SESSION.exec(text)?.[1];
}

/** The edit that notes the session ID in the header; undefined when it stands there. */
export function sessionEdit(text: string, id: string): { start: number; end: number; text: string } | undefined {
  const line = `<!-- pi session: ${id} -->`;
  const found = SESSION.exec(text);
  if (found?.[1] === id) return undefined;
  if (found) return { start: found.index, end: found.index + found[0].trimEnd().length, text: line };
  // Below the title, when there is one.
  const header = text.slice(0, headings(text)[0]?.start ?? text.length);
  const title = /^# .*$/m.exec(header);
  if (!title) return { start: 0, end: 0, text: `${line}\n\n` };
  const end = title.index + title[0].trimEnd().length;
  return { start: end, end, text: `\n${line}` };
}

export interface Turn {
  of: "you" | "pi";
  start: number;
  end: number;
  /** The first line of what was said. */
  title: string;
}

/** The turns of the transcript; the prompt is the last one. */
export function turns(text: string): Turn[] {
  const all = [
    ...headings(text).map((heading) => ({ of: "you" as const, ...heading })),
    ...headings(text, PI).map((heading) => ({ of: "pi" as const, ...heading })),
  ].sort((one, other) => one.start - other.start);
  return all.map(({ of, start, end }, at) => {
    const next = all[at + 1]?.start ?? text.length;
    const title = /\S.*/.exec(text.slice(end, next))?.[0].trim() ?? "";
    return { of, start, end: next, title };
  });
}
