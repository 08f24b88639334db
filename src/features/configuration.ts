import type { OptIn } from "../bridge/opt-in.ts";
import { readOptIn } from "../bridge/settings.ts";
import type { Feature } from "./feature.ts";

/** `workspace/didChangeConfiguration {settings: {pi}}`: the opt-in is the one thing that can change later. */
export function configuration(
  optIn: OptIn,
  /** What was told so far leaves as it was asked for then. */
  flush: () => void,
  log: (text: string) => void,
): Feature {
  return {
    notifications: {
      "workspace/didChangeConfiguration": (params) => {
        const pi = (params as { settings?: { pi?: unknown } | null } | undefined)?.settings?.pi;
        if (pi === undefined || pi === null) return;
        try {
          const wanted = readOptIn(pi, "settings.pi");
          flush();
          optIn.set(wanted);
        } catch (error) {
          log(`Configuration not changed: ${(error as Error).message}`);
        }
      },
    },
  };
}
