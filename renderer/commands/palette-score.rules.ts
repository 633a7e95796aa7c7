/**
 * Scores a title that contains all letters of the query in order. A letter counts more if it begins a word or
 * follows the previous match.
 */
export function scoreOf(query: string, title: string): number | null {
  const [wanted, text] = [query.toLowerCase(), title.toLowerCase()];
  let at = -1;
  let score = 0;
  for (const letter of wanted.replaceAll(' ', '')) {
    const next = text.indexOf(letter, at + 1);
    if (next < 0) return null;
    score += next === at + 1 ? 3 : /[\s\-_/.]/.test(text[next - 1] ?? ' ') ? 2 : 0;
    at = next;
  }
  return score - text.length / 100;
}

/** As much as one letter at the start of a word, so that a choice that was made before wins over a similar one. */
const recentBonus = 2;

/**
 * Returns the matching entries, best first. `recent`: the ids that were chosen before, the newest first; with an empty query, these
 * come first, and then all others in their order.
 */
export function bestFirst<T extends { id: string; title: string }>(
  entries: readonly T[],
  query: string,
  recent: readonly string[] = [],
): T[] {
  if (query === '') {
    const known = recent.flatMap((id) => entries.find((entry) => entry.id === id) ?? []);
    return [...known, ...entries.filter((entry) => !known.includes(entry))];
  }
  return entries
    .map((entry) => ({ entry, score: scoreOf(query, entry.title) }))
    .flatMap(({ entry, score }) =>
      score === null ? [] : [{ entry, score: score + (recent.includes(entry.id) ? recentBonus : 0) }],
    )
    .sort((a, b) => b.score - a.score)
    .map(({ entry }) => entry);
}

export const maxShown = 40;

/**
 * Returns the best entries, and after them what only the broker found: fewer than `maxShown`. The first entries stay in
 * their places when the broker answers.
 */
export function shownEntries<T extends { id: string; title: string }>(
  entries: readonly T[],
  found: readonly T[],
  query: string,
  recent: readonly string[] = [],
): T[] {
  const first = bestFirst(entries, query, recent).slice(0, maxShown - found.length);
  const known = new Set(first.map(({ id }) => id));
  return [...first, ...found.filter(({ id }) => !known.has(id))];
}
