import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** A private home, so that neither the developer's pi nor another test is touched, and a mark on every process. */
export class Sandbox {
  readonly root = realpathSync(mkdtempSync(join(tmpdir(), "pi-ls-test-")));
  readonly home = join(this.root, "home");
  readonly agentDir = join(this.home, "agent");
  readonly sessions = join(this.root, "sessions");
  /** The editor's workspace. */
  readonly project = join(this.root, "project");
  readonly env: Record<string, string>;

  constructor() {
    for (const folder of [this.agentDir, this.sessions, this.project]) mkdirSync(folder, { recursive: true });
    // Retries that do not take seconds, and a session of a few words that can be compacted.
    const settings = { retry: { baseDelayMs: 10 }, compaction: { keepRecentTokens: 1 } };
    writeFileSync(join(this.agentDir, "settings.json"), JSON.stringify(settings));
    this.env = {
      PATH: [dirname(process.execPath), process.env.PATH ?? ""].join(":"),
      HOME: this.home,
      PI_CODING_AGENT_DIR: this.agentDir,
      PI_OFFLINE: "1",
      PI_LS_TEST: this.root,
    };
  }

  file(name: string, text: string, mode = 0o644): string {
    const path = join(this.root, name);
    writeFileSync(path, text, { mode });
    return path;
  }

  folder(name: string): string {
    const path = join(this.root, name);
    mkdirSync(path);
    return path;
  }

  remove(): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}
