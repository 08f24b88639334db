import type { Launch } from "./launch.ts";

/** Programs that run a command on another machine, in another file system, or as somebody else. */
export const REMOTE_RUNNERS: ReadonlySet<string> = new Set([
  ...["ssh", "autossh", "mosh", "et", "rsh", "gcloud", "az", "gh", "coder", "tsh", "fly", "flyctl", "heroku"],
  ...["docker", "podman", "nerdctl", "docker-compose", "podman-compose", "kubectl", "oc", "lxc", "lxc-attach", "incus"],
  ...["wsl", "distrobox", "distrobox-enter", "toolbox", "devcontainer", "devpod", "vagrant", "multipass", "lima"],
  ...["limactl", "colima", "orb", "machinectl", "systemd-nspawn", "nsenter", "chroot", "flatpak-spawn"],
  ...["sudo", "doas", "su", "runuser"],
]);

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
    .find((name) => REMOTE_RUNNERS.has(name));
}
