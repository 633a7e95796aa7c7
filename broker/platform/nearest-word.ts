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
  const most = written.length < 4 ? 1 : Math.max(2, Math.floor(written.length / 3));
  return best !== undefined && best.changes <= most ? best.word : undefined;
}

/** Levenshtein's distance, one row at a time; two letters that changed places are one change. */
function changesBetween(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, i) => i);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const hasTurned = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const turn = hasTurned ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY;
      next.push(Math.min(swap, turn, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    [before, row] = [row, next];
  }
  return row[b.length] ?? 0;
}
