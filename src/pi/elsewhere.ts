import { REMOTE_RUNNERS } from "../protocol/remote-runners.ts";
import type { Launch } from "./launch.ts";

/**
 * What says that pi's files are not the ones that are seen from here; undefined when nothing does.
 *
 * It is the option `remoteShell`, or a word of the command that names one of `REMOTE_RUNNERS`: `ssh host pi`,
 * `/usr/bin/docker exec -i box pi`, `sh -c "ssh host pi"`. Other commands of several words run here: `node cli.js`, `npx pi`.
 */
export function elsewhere(launch: Pick<Launch, "command" | "remoteShell">): string | undefined {
  if (launch.remoteShell) return "remoteShell";
  return launch.command
    .flatMap((word) => word.split(/\s+/))
    .map((word) => word.slice(Math.max(word.lastIndexOf("/"), word.lastIndexOf("\\")) + 1).replace(/\.(exe|cmd)$/i, ""))
    .find((name) => REMOTE_RUNNERS.includes(name));
}
