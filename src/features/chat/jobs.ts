import type { Edit } from "./changes.ts";
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
  YOU,
} from "./layout.ts";

/** The text as it will be when all that is under way has landed. */
export interface View {
  text: string;
  /** Where the transcript grows. */
  anchor: number;
  eol: string;
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

/** Moves the prompt into the transcript, as CHUNK makes it of the prompt's text. */
export function take(chunk: (prompt: string) => string, done: (prompt: string | undefined) => void): Job {
  let prompt = "";
  return {
    plan: ({ text, anchor, eol }) => {
      prompt = promptOf(text);
      if (prompt === "") return undefined;
      const added = withEol(chunk(prompt), eol);
      const heading = promptHeading(text);
      if (!heading) return wholeFile(text, prompt, added, eol);
      // The heading is gone, and this one is an older turn's.
      if (heading.start < anchor) return undefined;
      const at = Math.min(anchor, heading.start);
      const insert = { start: at, end: at, text: added + missingBreaks(text, at, eol) };
      const edits = [insert, emptyPrompt(text, heading.end, eol)];
      return { edits, chunk: added, anchor: at + added.length };
    },
    landed: () => false,
    done: (landed) => done(landed ? prompt : undefined),
  };
}

/** A file without headings becomes a chat: what was in it is the prompt. */
function wholeFile(text: string, prompt: string, chunk: string, eol: string): Plan {
  const at = text.lastIndexOf(prompt);
  const above = text.slice(0, at).trimEnd();
  const added = above === "" ? chunk.trimStart() : chunk;
  const edits = [{ start: above.length, end: text.length, text: `${added}${eol}${eol}${YOU}${eol}${eol}` }];
  return { edits, chunk: added, anchor: above.length + added.length, before: above };
}

/** An empty line below the heading: without one, the cursor would come to stand on the heading itself. */
function emptyPrompt(text: string, headingEnd: number, eol: string): Edit {
  return { start: headingEnd, end: text.length, text: eol + eol };
}

/** Takes the prompt away. */
export function clear(done: (prompt: string | undefined) => void): Job {
  let prompt = "";
  return {
    plan: ({ text, anchor, eol }) => {
      prompt = promptOf(text);
      const heading = promptHeading(text);
      if (prompt === "" || !heading || heading.start < anchor) return undefined;
      return { edits: [emptyPrompt(text, heading.end, eol)], chunk: "", anchor };
    },
    landed: (text) => !promptOf(text).startsWith(prompt),
    done: (landed) => done(landed ? prompt : undefined),
  };
}

/** Puts ADDED at the end of the prompt. */
export function below(added: string, done: (landed: boolean) => void = () => {}): Job {
  let before = 0;
  const count = (text: string) => promptOf(text).split(added.trim()).length;
  const normal = (text: string) => text.replaceAll("\r\n", "\n");
  return {
    plan: ({ text, anchor, eol }) => {
      before = count(normal(text));
      const written = withEol(added.trim(), eol);
      const heading = promptHeading(text);
      if (!heading) {
        const end = text.length;
        return {
          edits: [{ start: end, end, text: `${eol}${eol}${YOU}${eol}${eol}${written}${eol}` }],
          chunk: "",
          anchor,
        };
      }
      const prompt = text.slice(heading.end).trimEnd();
      const end = heading.end + prompt.length;
      return { edits: [{ start: end, end: text.length, text: `${eol}${eol}${written}${eol}` }], chunk: "", anchor };
    },
    landed: (text) => count(normal(text)) > before,
    done,
  };
}

/** Puts the prompt's heading back, behind the transcript. */
export function heading(): Job {
  return {
    plan: ({ text, anchor, eol }) => {
      if (headingAfter(text, anchor)) return undefined;
      if (text.trim() === "")
        return {
          edits: [{ start: 0, end: text.length, text: withEol(newChat("pi"), eol) }],
          chunk: "",
          anchor,
          own: "# pi",
        };
      const edits = [{ start: anchor, end: anchor, text: `${eol}${eol}${YOU}${eol}` }];
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

/** Takes away a chunk that a client has put where it does not belong. */
export function remove(chunk: string, at: number): Job {
  let before = 0;
  return {
    plan: ({ text, anchor }) => {
      if (!text.startsWith(chunk, at)) return undefined;
      before = text.split(chunk).length;
      const shift = at < anchor ? chunk.length : 0;
      return { edits: [{ start: at, end: at + chunk.length, text: "" }], chunk: "", anchor: anchor - shift };
    },
    landed: (text) => text.split(chunk).length < before,
    done: () => {},
  };
}

/** Replaces the transcript. HEADER and the turns, as they are to stand above the prompt. */
export function rebuild(transcript: string, done: (landed: boolean) => void): Job {
  let wanted = "";
  return {
    plan: ({ text, eol }) => {
      wanted = withEol(transcript, eol);
      const heading = promptHeading(text);
      const end = heading ? transcriptEnd(text, heading.start) : text.length;
      if (text.slice(0, end) === wanted && heading) return undefined;
      const after = heading ? missingBreaks(text, end, eol) : `${eol}${eol}${YOU}${eol}`;
      return { edits: [{ start: 0, end, text: wanted + after }], chunk: "", anchor: wanted.length, own: wanted };
    },
    landed: (text) => text.startsWith(wanted),
    done,
  };
}

/** The line breaks that are missing between OFFSET and the heading that follows it at once. */
export function missingBreaks(text: string, offset: number, eol: string): string {
  if (text.startsWith(YOU, offset)) return eol + eol;
  return text.startsWith(eol + YOU, offset) ? eol : "";
}

export function withEol(text: string, eol: string): string {
  const plain = text.replaceAll("\r\n", "\n").replaceAll("\r", "\n");
  return eol === "\n" ? plain : plain.replaceAll("\n", eol);
}
