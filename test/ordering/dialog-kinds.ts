export const DIALOG_KINDS = ["select", "confirm", "input", "editor"] as const;
export type DialogKind = (typeof DIALOG_KINDS)[number];

const FIELDS = {
  select: { title: "Which?", options: ["red", "green"] },
  confirm: { title: "Sure?", message: "No way back." },
  input: { title: "Name?", placeholder: "Ada" },
  editor: { title: "Text?", prefill: "…" },
};

/** The dialog as pi opens it. */
export function dialogRecord(kind: DialogKind, id: string) {
  return { type: "extension_ui_request", id, method: kind, ...FIELDS[kind] };
}

export function goodAnswer(kind: DialogKind): object {
  return kind === "confirm" ? { confirmed: true } : { value: kind === "select" ? "green" : "text" };
}

/** What looks like an answer and is none to this dialog. */
export function wrongAnswer(kind: DialogKind): unknown {
  return { select: { value: "blue" }, confirm: { value: "yes" }, input: "text", editor: { confirmed: true } }[kind];
}
