/** What the colours of a terminal are in a picture of it. */
export interface Palette {
  foreground: string;
  background: string;
  /** Black, red, green, yellow, blue, magenta, cyan, white. */
  basic: readonly string[];
}

/** A terminal's TEXT, with its escape sequences, as SVG: one rectangle and one text for each run of cells. */
export function terminalPicture(text: string, columns: number, rows: number, palette: Palette): string {
  const [width, height, left, top] = [8.4, 18, 12, 12];
  const { foreground, background } = palette;
  const parts: string[] = [];
  for (const [row, line] of text.split("\n").slice(0, rows).entries()) {
    let style: Style = {};
    let column = 0;
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are escape sequences.
    for (const [, codes, run = ""] of line.matchAll(/\u001b\[([\d;:]*)m|([^\u001b]+)/g)) {
      if (codes !== undefined) {
        style = restyled(style, codes.split(/[;:]/).map(Number), palette);
        continue;
      }
      const cells = [...run].length;
      const x = (left + column * width).toFixed(1);
      const y = top + row * height;
      const wide = (cells * width).toFixed(1);
      const fg = style.reverse ? (style.bg ?? background) : (style.fg ?? foreground);
      const bg = style.reverse ? (style.fg ?? foreground) : style.bg;
      if (bg && bg !== background)
        parts.push(`<rect x="${x}" y="${y}" width="${wide}" height="${height}" fill="${bg}"/>`);
      if (run.trim() !== "") {
        const looks = [
          style.bold ? ' font-weight="bold"' : "",
          style.italic ? ' font-style="italic"' : "",
          style.underline ? ' text-decoration="underline"' : "",
        ].join("");
        const escaped = run.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
        parts.push(`<text x="${x}" y="${y + 13}" fill="${fg}" textLength="${wide}"${looks}>${escaped}</text>`);
      }
      column += cells;
    }
  }
  const size = [Math.ceil(columns * width + 2 * left), rows * height + 2 * top];
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${size[0]}" height="${size[1]}" viewBox="0 0 ${size[0]} ${size[1]}">
<rect width="100%" height="100%" rx="8" fill="${background}"/>
<g font-family="ui-monospace, 'DejaVu Sans Mono', Menlo, Consolas, monospace" font-size="14" xml:space="preserve">
${parts.join("\n")}
</g>
</svg>
`;
}

/** What one cell looks like. */
interface Style {
  fg?: string;
  bg?: string;
  bold?: boolean;
  italic?: boolean;
  underline?: boolean;
  reverse?: boolean;
}

function restyled(style: Style, codes: number[], palette: Palette): Style {
  let next = { ...style };
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at] ?? 0;
    if (code === 0) next = {};
    else if (code === 1) next.bold = true;
    else if (code === 3) next.italic = true;
    else if (code === 4) next.underline = true;
    else if (code === 7) next.reverse = true;
    else if (code === 22) next.bold = false;
    else if (code === 23) next.italic = false;
    else if (code === 24) next.underline = false;
    else if (code === 27) next.reverse = false;
    else if (code === 38 || code === 48) {
      const rgb = codes.slice(at + 2, at + 5).map((part) => part.toString(16).padStart(2, "0"));
      const colour = codes[at + 1] === 2 ? `#${rgb.join("")}` : colourOf(codes[at + 2] ?? 0, palette);
      if (code === 38) next.fg = colour;
      else next.bg = colour;
      at += codes[at + 1] === 2 ? 4 : 2;
    } else if (code === 39) delete next.fg;
    else if (code === 49) delete next.bg;
    else if (code >= 30 && code <= 37) next.fg = colourOf(code - 30, palette);
    else if (code >= 40 && code <= 47) next.bg = colourOf(code - 40, palette);
    else if (code >= 90 && code <= 97) next.fg = colourOf(code - 90, palette);
  }
  return next;
}

const STEPS = [0, 95, 135, 175, 215, 255];

/** A colour of the palette of 256. */
function colourOf(index: number, { basic }: Palette): string {
  if (index < 16) return basic[index % 8] ?? "";
  const grey = 8 + (index - 232) * 10;
  const cube = index - 16;
  const parts =
    index >= 232
      ? [grey, grey, grey]
      : [Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6].map((at) => STEPS[at] ?? 0);
  return `#${parts.map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}
