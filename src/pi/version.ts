import { readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";

const PACKAGE = "@earendil-works/pi-coding-agent";

/**
 * pi's version; RPC does not tell it. `command` begins with the file of the executable. SIGNAL ends the question for it.
 * Undefined where it cannot be told: of several words none is run, since `ssh host pi` would open a second connection.
 */
export async function piVersion(
  command: readonly string[],
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<string | undefined> {
  const known = packageVersion(command);
  if (known !== undefined || command.length !== 1) return known;
  return askVersion(command[0] ?? "", env, signal).catch(() => undefined);
}

/**
 * From the package that one of the command's words lies in.
 * Undefined for a pi that runs elsewhere, and for one that is no npm package.
 */
function packageVersion(words: readonly string[]): string | undefined {
  for (const word of words) {
    let folder: string;
    try {
      folder = dirname(realpathSync(word));
    } catch {
      continue;
    }
    for (; folder !== dirname(folder); folder = dirname(folder)) {
      try {
        const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
        if (name === PACKAGE && typeof version === "string") return version;
      } catch {
        // No package here: look further up.
      }
    }
  }
  return undefined;
}

async function askVersion(
  file: string,
  env: NodeJS.ProcessEnv,
  cancelSignal: AbortSignal,
): Promise<string | undefined> {
  const { execa } = await import("execa");
  const limits = { timeout: 10_000, killSignal: "SIGKILL", cancelSignal, reject: false } as const;
  const { stdout } = await execa(file, ["--version"], { env, stdin: "ignore", ...limits });
  return /\d+\.\d+\.\d+\S*/.exec(String(stdout ?? ""))?.[0];
}

/** True when `version` is later than `than`; both are `major.minor.patch`. */
export function isNewer(version: string, than: string): boolean {
  const [a, b] = [version, than].map((text) => text.split(/[.-]/).slice(0, 3).map(Number));
  for (let at = 0; at < 3; at++) {
    const difference = (a?.[at] ?? 0) - (b?.[at] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return false;
}
