/** So many files may be open at a time: a process has a limit, and a disk has a queue. */
const AT_A_TIME = 16;

/** Calls USE for each item, some of them at a time. */
export async function inParallel<T>(items: readonly T[], use: (item: T) => Promise<void>): Promise<void> {
  const rest = items.values();
  const worker = async () => {
    for (const item of rest) await use(item);
  };
  await Promise.all(Array.from({ length: Math.min(AT_A_TIME, items.length) }, worker));
}
