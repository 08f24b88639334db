const EVERY_MS = 1000;

/**
 * Notices that the editor's process has ended while its end of the pipe is still open, as it is when a child of the
 * editor has inherited it. A process that is not there at the start runs elsewhere (a container, ssh): not watched.
 */
export function watchParent(
  processIds: readonly unknown[],
  events: { gone(pid: number): void; log(text: string): void },
): void {
  const pids = new Set(processIds.filter((pid): pid is number => typeof pid === "number" && pid > 0));
  for (const pid of pids) {
    if (!isAlive(pid)) {
      events.log(`The editor's process ${pid} is not on this machine: not watched.`);
      continue;
    }
    const timer = setInterval(() => {
      if (isAlive(pid)) return;
      clearInterval(timer);
      events.gone(pid);
    }, EVERY_MS);
    timer.unref();
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Another user's process is alive too.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
