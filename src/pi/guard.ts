import { type ChildProcess, spawn } from "node:child_process";

/** Longer than pi takes to end when its stdin does. In tenths of a second. */
const PATIENCE = 25;

/**
 * Reads lines until the bridge is gone, of which the last one tells the sessions of pi's shells, and looks for those that
 * are younger. Then it waits for pi to end, and ends what is left in these sessions. What has another run's mark belongs to
 * a nested bridge.
 */
const SCRIPT = `
pi=$1 mark=$2 shells=
look() { session=; { read -r stat < "/proc/$1/stat"; } 2>/dev/null || return; set -- \${stat##*) }; session=$4; }
while read -r line; do shells=$line; done
look "$pi"; own=$session
for child in $(cat "/proc/$pi/task/"*/children 2>/dev/null); do
  look "$child"
  [ "$session" = "$own" ] || shells="$shells $session"
done
tenths=0
while kill -0 "$pi" 2>/dev/null && [ $tenths -lt ${PATIENCE} ]; do sleep 0.1; tenths=$((tenths + 1)); done
kill -9 "$pi" 2>/dev/null
for folder in /proc/[0-9]*; do
  pid=\${folder#/proc/}
  look "$pid"
  case " $shells " in *" \${session:-none} "*) ;; *) continue ;; esac
  marks=$(tr '\\0' '\\n' < "$folder/environ" 2>/dev/null | grep "^\${mark%%=*}=")
  case "$marks" in "" | "$mark") kill -9 "$pid" 2>/dev/null ;; esac
done
`;

/**
 * A little shell that outlives a bridge that is killed, and does then what the bridge would have done (`orphans.ts`). In a
 * session of its own, so that what is meant for the bridge does not reach it. Linux only.
 */
export class Guard {
  private readonly child: ChildProcess;

  /** MARK: the variable that every process of pi's has in its environment, `NAME=value`. */
  constructor(pi: number, mark: string) {
    this.child = spawn("/bin/sh", ["-c", SCRIPT, "pi-language-server-guard", String(pi), mark], {
      detached: true,
      stdio: ["pipe", "ignore", "ignore"],
      // Not a process of pi's, nor of the project it works in.
      cwd: "/",
      env: { PATH: process.env.PATH ?? "/usr/bin:/bin" },
    });
    // Without a shell there is no guard; and one that has ended needs to be told nothing.
    this.child.on("error", () => {});
    this.child.stdin?.on("error", () => {});
    this.child.unref();
  }

  /** The sessions of the shells that run now. */
  tell(shells: ReadonlySet<number>): void {
    this.child.stdin?.write(`${[...shells].join(" ")}\n`);
  }

  dismiss(): void {
    this.child.kill("SIGKILL");
  }
}
