/**
 * Private roots with the editors that tests run in. Nothing of the machine is changed: packages of newer Debian releases
 * are unpacked below the user's cache directory, once, and entered with chroot in a mount namespace of its own. Where the
 * packages come from is the machine's own apt configuration. Needs Debian, and root.
 */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";

export const checkout = resolve(import.meta.dirname, "../..");
const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "pi-language-server");

/**
 * @param name of the root, below the cache: to be changed when PACKAGES change, for an old root is not looked into
 * @param suite the Debian release that the packages are of
 * @returns the folder of the root, made if it is not there.
 */
export function privateRoot(name: string, suite: string, packages: readonly string[]): string {
  const at = join(cache, name);
  if (existsSync(at)) return at;
  const work = `${at}.${process.pid}`;
  console.error(`Unpacking ${packages[0]} from ${suite} into ${at} …`);
  rmSync(work, { recursive: true, force: true });
  try {
    unpack(download(join(work, "apt"), suite, packages), join(work, "root"));
    // At once complete or not there: a run that was interrupted leaves nothing that looks like a root.
    renameSync(join(work, "root"), at);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return at;
}

/** An apt of its own: with no package installed, it fetches the whole closure of what it is asked for. */
function download(apt: string, suite: string, packages: readonly string[]): string[] {
  for (const folder of ["etc/preferences.d", "state/lists/partial", "cache/archives/partial", "dpkg"])
    mkdirSync(join(apt, folder), { recursive: true });
  writeFileSync(join(apt, "dpkg/status"), "");
  writeFileSync(
    join(apt, "etc/debian.sources"),
    // The mirror may be a frozen snapshot, whose sid has expired. Signatures stay checked.
    `Types: deb\nURIs: ${archive()}\nSuites: ${suite}\nComponents: main\nCheck-Valid-Until: no\n` +
      "Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg\n",
  );
  const config = join(apt, "apt.conf");
  writeFileSync(
    config,
    [
      `Dir::Etc "${apt}/etc";`,
      'Dir::Etc::SourceList "debian.sources";',
      'Dir::Etc::SourceParts "/dev/null";',
      `Dir::State "${apt}/state";`,
      `Dir::State::Status "${apt}/dpkg/status";`,
      `Dir::Cache "${apt}/cache";`,
      'APT::Install-Recommends "false";',
      'APT::Sandbox::User "root";',
      'Acquire::Languages "none";',
      'Acquire::Retries "3";',
    ].join("\n"),
  );
  const run = (args: string[]) =>
    execFileSync("apt-get", ["-qq", ...args], { env: { ...process.env, APT_CONFIG: config }, stdio: "pipe" });
  run(["update"]);
  run(["install", "-y", "--download-only", ...packages]);
  const archives = join(apt, "cache/archives");
  return readdirSync(archives).flatMap((file) => (file.endsWith(".deb") ? [join(archives, file)] : []));
}

/** The archive that this machine installs its own packages from. */
function archive(): string {
  const targets = execFileSync("apt-get", [
    "indextargets",
    "--format",
    "$(REPO_URI) $(RELEASE)",
    "Created-By: Packages",
  ]);
  const codename = execFileSync("sh", ["-c", '. /etc/os-release && echo "$VERSION_CODENAME"']).toString().trim();
  const line = targets
    .toString()
    .split("\n")
    .find((target) => target.endsWith(` ${codename}`));
  if (!line) throw new Error(`apt knows no archive for ${codename}: these tests need Debian's packages`);
  return line.split(" ")[0] ?? "";
}

function unpack(archives: string[], at: string): void {
  for (const folder of ["bin", "sbin", "lib", "lib64"]) {
    mkdirSync(join(at, "usr", folder), { recursive: true });
    symlinkSync(`usr/${folder}`, join(at, folder));
  }
  for (const folder of ["tmp", "proc", "dev", "sys", "root", "etc"]) mkdirSync(join(at, folder), { recursive: true });
  writeFileSync(join(at, "etc/passwd"), "root:x:0:0:root:/root:/bin/bash\n");
  for (const file of archives)
    execFileSync("sh", [
      "-c",
      'dpkg-deb --fsys-tarfile "$1" | tar -x -C "$2" --keep-directory-symlink',
      "sh",
      file,
      at,
    ]);
  if (!existsSync(join(at, "bin/sh"))) symlinkSync("bash", join(at, "usr/bin/sh"));
  // Debian's alternatives would make it, when the package is installed.
  const [emacs, nox] = [join(at, "usr/bin/emacs"), join(at, "usr/bin/emacs-nox")];
  if (existsSync(nox) && !existsSync(emacs)) symlinkSync("emacs-nox", emacs);
}

/**
 * The words that run COMMAND in ROOT. The checkout, BINDS and the machine's /tmp, /proc, /dev and /sys are in it, under
 * the names that they have outside. The mounts end with the command.
 */
export function inRoot(at: string, command: readonly string[], binds: readonly string[] = []): string[] {
  const mounts = ["/tmp", "/proc", "/dev", "/sys", checkout, ...binds];
  const script = [
    'root="$1"; count="$2"; shift 2',
    'while [ "$count" -gt 0 ]; do mkdir -p "$root$1"; mount --rbind "$1" "$root$1"; shift; count=$((count - 1)); done',
    'folder="$PWD"; exec /usr/sbin/chroot "$root" /bin/sh -c \'cd "$1" 2>/dev/null || cd /; shift; exec "$@"\' sh "$folder" "$@"',
  ].join("; ");
  return ["unshare", "-m", "sh", "-ec", script, "sh", at, `${mounts.length}`, ...mounts, ...command];
}
