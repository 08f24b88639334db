/** What a line must look like to begin something that has a name. Rough, and the same for every language. */
const BEGINS =
  /^\s*(?:(?:export|default|public|private|protected|internal|static|async|abstract|final|override|pub(?:\(\w+\))?|unsafe|extern|inline|virtual)\s+)*(?:function\b|def\b|fn\b|func\b|fun\b|sub\b|class\b|struct\b|impl\b|trait\b|interface\b|enum\b|module\b|local\s+function\b|\((?:cl-)?def\w+|const\s+\w+\s*=.*=>|let\s+\w+\s*=.*=>)/;
/** A method: a name, parentheses, and a brace or a colon at the end. */
const METHOD = /^\s*(?!\s|(?:if|for|while|switch|catch|return|else|do|with)\b)[\w$<>[\],.*&:~ ]+\([^;]*\)[^;]*[{:]\s*$/;

const indentOf = (line: string): number => /^[ \t]*/.exec(line)?.[0].length ?? 0;
const isBlank = (line: string): boolean => line.trim() === "";

/**
 * The lines of the function, class or the like that LINE is in, by indentation.
 * @returns the first and the last line, counted from 0; undefined when nothing of the kind is found
 */
export function enclosing(lines: readonly string[], line: number): { first: number; last: number } | undefined {
  let indent = isBlank(lines[line] ?? "") ? Number.POSITIVE_INFINITY : indentOf(lines[line] ?? "") + 1;
  for (let first = line; first >= 0; first--) {
    const text = lines[first] ?? "";
    if (isBlank(text) || indentOf(text) >= indent) continue;
    if (BEGINS.test(text) || METHOD.test(text)) {
      const last = endOf(lines, first);
      if (last >= line) return { first, last };
    }
    indent = Math.min(indent, indentOf(text) + 1);
  }
  return undefined;
}

function endOf(lines: readonly string[], first: number): number {
  const indent = indentOf(lines[first] ?? "");
  let last = first;
  for (let at = first + 1; at < lines.length; at++) {
    const text = lines[at] ?? "";
    if (isBlank(text)) continue;
    if (indentOf(text) > indent) {
      last = at;
      continue;
    }
    // The closing bracket belongs to it.
    return /^\s*(?:[})\]]|end\b)/.test(text) ? at : last;
  }
  return last;
}
