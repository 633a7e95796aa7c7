/** The next focus when an entry leaves a list. */

/** Returns what follows the entry that leaves, or else what is before it. Without such an entry, returns the first one. */
export function neighborOf<Entry>(
  entries: readonly Entry[],
  isLeaving: (entry: Entry) => boolean,
): Entry | null {
  const at = entries.findIndex(isLeaving);
  return entries[at + 1] ?? entries[at - 1] ?? null;
}
