/** The name that was probably meant, if one is close; undefined for a name that resembles none. */
export function nearest(name: string, names: readonly string[]): string | undefined {
  if (name.length > 64) return undefined;
  const plain = (text: string) => text.toLowerCase().replaceAll(/[_\-/.\s]/g, "");
  let best: { name: string; distance: number } | undefined;
  for (const candidate of names) {
    const distance = editDistance(plain(name), plain(candidate));
    if (!best || distance < best.distance) best = { name: candidate, distance };
  }
  return best && best.distance <= Math.max(1, Math.floor(name.length / 3)) ? best.name : undefined;
}

/** Levenshtein's. Names are short. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
