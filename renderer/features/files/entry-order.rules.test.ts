import { expect, it } from 'vitest';
import type { FsEntry } from '#protocol/files.ts';
import { type EntryOrder, inOrder, nextOrder } from './entry-order.rules.ts';

const entry = (name: string, size: number | null, updatedAt: number, owner = 'ada') =>
  ({
    name,
    path: `/ada/${name}`,
    kind: size === null ? 'directory' : 'file',
    size,
    updatedAt,
    owner,
  }) as FsEntry;
const entries = [
  entry('b10.txt', 5, 3),
  entry('old', null, 1),
  entry('b9.txt', 5, 1, 'ben'),
  entry('a.txt', 900, 2),
  entry('new', null, 9),
];
const names = (order: EntryOrder) => inOrder(entries, order).map(({ name }) => name);

it('has folders first, and numbers in names by their value', () => {
  expect(names({ by: 'name', isDescending: false })).toEqual(['new', 'old', 'a.txt', 'b9.txt', 'b10.txt']);
  expect(names({ by: 'name', isDescending: true })).toEqual(['old', 'new', 'b10.txt', 'b9.txt', 'a.txt']);
});

it('is by size, time, and owner, and by name among equal ones', () => {
  expect(names({ by: 'size', isDescending: true })).toEqual(['new', 'old', 'a.txt', 'b9.txt', 'b10.txt']);
  expect(names({ by: 'changed', isDescending: true })).toEqual(['new', 'old', 'b10.txt', 'a.txt', 'b9.txt']);
  expect(names({ by: 'owner', isDescending: true })[2]).toBe('b9.txt');
});

it('begins with the largest and the newest, and turns around when its column is pressed again', () => {
  const byName: EntryOrder = { by: 'name', isDescending: false };
  expect(nextOrder(byName, 'size')).toEqual({ by: 'size', isDescending: true });
  expect(nextOrder(byName, 'owner')).toEqual({ by: 'owner', isDescending: false });
  expect(nextOrder(byName, 'name')).toEqual({ by: 'name', isDescending: true });
});
