import { applyEdits, type Edit, moved } from "./changes.ts";
import {
  headingAfter,
  headings,
  newChat,
  PI,
  promptHeading,
  promptOf,
  sessionEdit,
  sessionOf,
  transcriptEnd,
  withLf,
  YOU,
} from "./layout.ts";
import { nearest } from "./place.ts";

/** The text as it will be when all that is under way has landed. */
export interface View {
  text: string;
  /** Where the transcript grows. */
  anchor: number;
}

export interface Plan {
  edits: Edit[];
  /** What the transcript grows by. */
  chunk: string;
  /** Where it ends then. */
  anchor: number;
  /** The transcript is another one then: this. */
  own?: string;
  /** What stands before the chunk then, where the edit replaces that too. */
  before?: string;
  /** For the text as it is or not at all, in every editor: elsewhere it would take something else away. */
  isExact?: true;
}

/** An edit of the chat document that is more than a growing transcript. */
export interface Job {
  /** @returns undefined when there is nothing to do: the job is over then. */
  plan(view: View): Plan | undefined;
  /** Whether TEXT shows that it was done. Not asked when the plan has a chunk: that is looked for. */
  landed(text: string): boolean;
  /** It is over. */
  done(landed: boolean): void;
}

/** A prompt that is on its way. */
export interface Asked {
  /** It, as it stood when it was asked for: what is typed afterwards is the next one's. */
  prompt: string;
  /** Whether it still is to go. */
  isWanted?(): boolean;
  /** What has gone; undefined: nothing has, and it stands where it stood. */
  done(prompt: string | undefined): void;
}

/** Moves the prompt into the transcript, as CHUNK makes it of the prompt's text. */
export function take(asked: Asked, chunk: (prompt: string) => string): Job {
  let taken = "";
  return {
    plan: ({ text, anchor }) => {
      const found = find(text, asked);
      if (!found) return undefined;
      taken = found.prompt;
      const added = withLf(chunk(taken));
      const heading = promptHeading(text);
      if (!heading) return wholeFile(text, found, added);
      // The heading is gone, and this one is an older turn's.
      if (heading.start < anchor) return undefined;
      const at = Math.min(anchor, heading.start);
      const insert = { start: at, end: at, text: added + missingBreaks(text, at) };
      const edits = [insert, emptied(heading.end, found)];
      return { edits, chunk: added, anchor: at + added.length };
    },
    landed: () => false,
    done: (landed) => asked.done(landed ? taken : undefined),
  };
}

/** Takes the prompt away. */
export function clear(asked: Asked): Job {
  let taken = "";
  let before = "";
  return {
    plan: ({ text, anchor }) => {
      const found = find(text, asked);
      const heading = promptHeading(text);
      if (!found || (heading && heading.start < anchor)) return undefined;
      taken = found.prompt;
      before = promptOf(text);
      // The person has cleared the document, headings and all.
      if (!heading) {
        const { start, end, hasBreak } = found;
        const edits = [{ start, end, text: `${YOU}\n${hasBreak ? "" : "\n"}` }];
        return { edits, chunk: "", anchor: start, own: text.slice(0, start) };
      }
      return { edits: [emptied(heading.end, found)], chunk: "", anchor };
    },
    landed: (text) => !promptOf(text).startsWith(before),
    done: (landed) => asked.done(landed ? taken : undefined),
  };
}

interface Found {
  prompt: string;
  start: number;
  /** Where what is left begins: the next prompt, or the line break behind this one, which may get longer at any moment. */
  end: number;
  hasBreak: boolean;
}

/** Where the prompt stands now. When it was changed since it was asked for, it is what it has become. */
function find(text: string, { prompt: asked, isWanted }: Asked): Found | undefined {
  const now = promptOf(text);
  if (now === "" || isWanted?.() === false) return undefined;
  const prompt = now.startsWith(asked) ? asked : now;
  const start = text.lastIndexOf(now);
  const left = text.slice(start + prompt.length);
  if (left.trim() === "") return { prompt, start, end: start + prompt.length, hasBreak: left.startsWith("\n") };
  const end = text.length - left.replace(/^[ \t]*\n+/, "").length;
  return { prompt, start, end, hasBreak: false };
}

/** A file without headings becomes a chat: what was in it is the prompt. */
function wholeFile(text: string, { start, end, hasBreak }: Found, chunk: string): Plan {
  const above = text.slice(0, start).trimEnd();
  const added = above === "" ? chunk.trimStart() : chunk;
  const edits = [{ start: above.length, end, text: `${added}\n\n${YOU}\n${hasBreak ? "" : "\n"}` }];
  return { edits, chunk: added, anchor: above.length + added.length, before: above };
}

/** An empty line below the heading: without one, the cursor would come to stand on the heading itself. */
function emptied(headingEnd: number, { end, hasBreak }: Found): Edit {
  return { start: headingEnd, end, text: hasBreak ? "\n" : "\n\n" };
}

/** Puts ADDED at the end of the prompt. */
export function below(added: string, done: (landed: boolean) => void = () => {}): Job {
  const written = withLf(added.trim());
  let before = 0;
  const count = (text: string) => promptOf(text).split(written).length;
  return {
    plan: ({ text, anchor }) => {
      before = count(text);
      const heading = promptHeading(text);
      if (!heading) {
        const end = text.length;
        return {
          edits: [{ start: end, end, text: `\n\n${YOU}\n\n${written}\n` }],
          chunk: "",
          anchor,
        };
      }
      const { length: end } = text;
      const breaks = text.endsWith("\n\n") ? "" : text.endsWith("\n") ? "\n" : "\n\n";
      return { edits: [{ start: end, end, text: `${breaks}${written}\n` }], chunk: "", anchor };
    },
    landed: (text) => count(text) > before,
    done,
  };
}

/** Puts the prompt's heading back, behind the transcript. */
export function heading(): Job {
  return {
    plan: ({ text, anchor }) => {
      if (headingAfter(text, anchor)) return undefined;
      if (text.trim() === "")
        return {
          edits: [{ start: 0, end: 0, text: text === "" ? newChat("pi") : newChat("pi").slice(0, -1) }],
          chunk: "",
          anchor,
          own: "# pi",
        };
      const edits = [{ start: anchor, end: anchor, text: `\n\n${YOU}\n` }];
      return { edits, chunk: "", anchor };
    },
    landed: (text) => headings(text).length > 0,
    done: () => {},
  };
}

/** Notes in the header which session the transcript belongs to. Where there is none, the person has cleared the document. */
export function session(id: string): Job {
  return {
    plan: ({ text, anchor }) => {
      if (headings(text).length + headings(text, PI).length === 0) return undefined;
      const edit = sessionEdit(text, id);
      if (!edit) return undefined;
      return { edits: [edit], chunk: "", anchor: anchor + edit.text.length - (edit.end - edit.start) };
    },
    landed: (text) => sessionOf(text) === id,
    done: () => {},
  };
}

/** What stands on either side of a text tells which one it is. */
const SIDE_CHARACTERS = 20;

/** Takes away what a client has put where it does not belong. FOUND is the text in which STRAY stands. */
export function remove({ start, text: stray }: { start: number; text: string }, found: string): Job {
  const head = found.slice(Math.max(0, start - SIDE_CHARACTERS), start);
  const tail = found.slice(start + stray.length).slice(0, SIDE_CHARACTERS);
  // One side may have been edited since.
  const ways = [
    { head, tail },
    { head: "", tail },
    { head, tail: "" },
  ];
  let before = 0;
  return {
    plan: ({ text, anchor }) => {
      for (const way of ways) {
        const needle = way.head + stray + way.tail;
        const at = nearest(text, needle, start - way.head.length);
        if (at === undefined) continue;
        before = occurrences(text, stray);
        const edit = { start: at + way.head.length, end: at + way.head.length + stray.length, text: "" };
        return { edits: [edit], chunk: "", anchor: moved(anchor, edit), isExact: true };
      }
      return undefined;
    },
    landed: (text) => occurrences(text, stray) < before,
    done: () => {},
  };
}

/** How often NEEDLE stands in TEXT. In a row of equal characters it stands at each of them. */
function occurrences(text: string, needle: string): number {
  let count = 0;
  for (let at = text.indexOf(needle); at !== -1; at = text.indexOf(needle, at + 1)) count += 1;
  return count;
}

/** Replaces LINE, the first behind the last MARK, by WORDS. */
export function amend(mark: string, line: string, words: string, done: (landed: boolean) => void): Job {
  const behind = (text: string, wanted: string) => {
    const at = text.lastIndexOf(mark);
    return at === -1 ? -1 : text.indexOf(wanted, at);
  };
  return {
    plan: ({ text, anchor }) => {
      const start = behind(text, line);
      if (start === -1) return undefined;
      const edit = { start, end: start + line.length, text: words };
      const end = moved(anchor, edit);
      return { edits: [edit], chunk: "", anchor: end, own: applyEdits(text, [edit]).slice(0, end) };
    },
    landed: (text) => behind(text, words) !== -1,
    done,
  };
}

/** Replaces the transcript. HEADER and the turns, as they are to stand above the prompt. */
export function rebuild(transcript: string, done: (landed: boolean) => void): Job {
  let wanted = "";
  return {
    plan: ({ text }) => {
      wanted = withLf(transcript);
      const heading = promptHeading(text);
      const end = heading ? transcriptEnd(text, heading.start) : text.length;
      if (text.slice(0, end) === wanted && heading) return undefined;
      const after = heading ? missingBreaks(text, end) : `\n\n${YOU}\n`;
      return { edits: [{ start: 0, end, text: wanted + after }], chunk: "", anchor: wanted.length, own: wanted };
    },
    landed: (text) => text.startsWith(wanted),
    done,
  };
}

/** The line breaks that are missing between OFFSET and the heading that follows it at once. */
export function missingBreaks(text: string, offset: number): string {
  if (text.startsWith(YOU, offset)) return "\n\n";
  return text.startsWith(`\n${YOU}`, offset) ? "\n" : "";
}
