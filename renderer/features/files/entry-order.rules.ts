/** The order of the entries of a folder. Pure. */
import type { FsEntry } from '#protocol/files.ts';

export const columns = ['name', 'owner', 'size', 'changed'] as const;
export type Column = (typeof columns)[number];

export interface EntryOrder {
  by: Column;
  isDescending: boolean;
}

const compare: Record<Column, (a: FsEntry, b: FsEntry) => number> = {
  name: (a, b) => a.name.localeCompare(b.name, undefined, { numeric: true }),
  owner: (a, b) => a.owner.localeCompare(b.owner),
  size: (a, b) => (a.size ?? 0) - (b.size ?? 0),
  changed: (a, b) => a.updatedAt - b.updatedAt,
};

/** Folders come first in every order. Equal entries are in the order of their names. */
export const inOrder = (entries: readonly FsEntry[], { by, isDescending }: EntryOrder): FsEntry[] =>
  entries.toSorted(
    (a, b) =>
      Number(b.kind === 'directory') - Number(a.kind === 'directory') ||
      compare[by](a, b) * (isDescending ? -1 : 1) ||
      compare.name(a, b),
  );

/** Returns the order after the heading of a column is pressed: the other way around, or that column from its useful end. */
export const nextOrder = (order: EntryOrder, by: Column): EntryOrder =>
  by === order.by
    ? { by, isDescending: !order.isDescending }
    : { by, isDescending: by === 'size' || by === 'changed' };
