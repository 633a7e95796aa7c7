/**
 * Returns the word that was probably meant: the one with the fewest changed letters, if they are few.
 */
export function nearestWord(written: string, words: readonly string[]): string | undefined {
  const ranked = words
    .map((word) => ({
      word,
      changes: word.startsWith(written) && written.length > 1 ? 1 : changesBetween(written, word),
    }))
    .sort((a, b) => a.changes - b.changes);
  const [best] = ranked;
  return best !== undefined && best.changes <= Math.max(2, Math.floor(written.length / 3))
    ? best.word
    : undefined;
}

/** Levenshtein's distance, one row at a time. */
function changesBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(swap, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
