import type { EditorKeys, EditorUnderTest } from "./editors.ts";

export interface Scenario {
  name: string;
  /** Run in every editor, and not only in one. */
  isMain?: true;
  /** Keys without which it cannot be. */
  needs?: (keyof EditorKeys)[];
  run(editor: EditorUnderTest): Promise<void>;
}

/** Why SCENARIO is not for an editor with KEYS; undefined when it is. */
export function reasonAgainst({ needs = [] }: Scenario, { keys }: EditorUnderTest): string | undefined {
  const missing = needs.filter((key) => keys[key] === undefined);
  return missing.length > 0 ? `no keys for ${missing.join(", ")}` : undefined;
}
