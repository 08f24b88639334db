/** How an editor's LSP client deals with edits that it did not ask for. Measured; see docs/editors. */
export interface ClientManner {
  /** The edit names the version it was made for. */
  isVersioned: boolean;
  /** It tells of an applied edit only when the person types: after a second without a word, its reply is believed. */
  isTrusted: boolean;
  /** Milliseconds between two edits. */
  gapMs: number;
  /** Milliseconds without typing before an edit: it moves the cursor too late otherwise. */
  quietMs: number;
  /** It attaches only files of the project to a server; for another one it would start a second server, in that folder. */
  isProjectBound: boolean;
  /** It shows by itself what has changed on the disk. */
  reloads: boolean;
}

const STANDARD: ClientManner = {
  isVersioned: true,
  isTrusted: false,
  gapMs: 100,
  quietMs: 0,
  isProjectBound: false,
  reloads: false,
};

/** By `clientInfo.name`. */
const MANNERS: [RegExp, Partial<ClientManner>][] = [
  // It answers "applied" for a version that is not its own and applies nothing; unversioned edits it applies.
  [/^neovim$/i, { isVersioned: false, isProjectBound: true }],
  [/^vim-lsp$/i, { isVersioned: false, isTrusted: true, gapMs: 2000 }],
  [/^coc/i, { quietMs: 800 }],
  [/^eglot$/i, { isProjectBound: true }],
  [/visual studio code|^vscodium|^cursor$|^zed|sublime/i, { reloads: true }],
];

export function mannerOf(clientName: string): ClientManner {
  return Object.assign(
    {},
    STANDARD,
    ...MANNERS.flatMap(([pattern, manner]) => (pattern.test(clientName) ? manner : [])),
  );
}
