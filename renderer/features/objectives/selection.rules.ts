/** The selected objectives of a list. Pure. */

export interface Selection {
  ids: ReadonlySet<string>;
  /** From where a range goes on: the objective that was selected or left out last. */
  anchor: string | null;
}

export const nothingSelected: Selection = { ids: new Set(), anchor: null };

export function toggledIn({ ids }: Selection, id: string): Selection {
  const next = new Set(ids);
  if (!next.delete(id)) next.add(id);
  return { ids: next, anchor: id };
}

/** Adds everything from the anchor to `id`. `order`: the ids in the order of the list. */
export function extendedTo(selection: Selection, order: readonly string[], id: string): Selection {
  const { ids, anchor } = selection;
  const from = anchor === null ? -1 : order.indexOf(anchor);
  const to = order.indexOf(id);
  if (from < 0 || to < 0) return { ids: new Set([...ids, id]), anchor: id };
  const range = order.slice(Math.min(from, to), Math.max(from, to) + 1);
  return { ids: new Set([...ids, ...range]), anchor };
}
