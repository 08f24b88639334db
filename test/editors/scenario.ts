import type { EditorKeys, EditorUnderTest } from "./editors.ts";

export interface Scenario {
  name: string;
  /** Run in every editor, and not only in one. */
  isMain?: true;
  /** Keys without which it cannot be. */
  needs?: (keyof EditorKeys)[];
  /** By name. What it would be there, and why it is not. */
  not?: Record<string, string>;
  run(editor: EditorUnderTest): Promise<void>;
}

/** Why SCENARIO is not for EDITOR; undefined when it is. */
export function reasonAgainst({ needs = [], not = {} }: Scenario, { name, keys }: EditorUnderTest): string | undefined {
  const missing = needs.filter((key) => keys[key] === undefined);
  return not[name] ?? (missing.length > 0 ? `no keys for ${missing.join(", ")}` : undefined);
}
