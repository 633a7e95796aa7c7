import { expect, it } from 'vitest';
import { listedOf } from './long-lists.ts';

const noteFor = async (last: string, more: string[]) => {
  const keys = Array.from({ length: 499 }, (_, n) => `k${n}`);
  const { items, notes } = await listedOf([[...keys, last, ...more]], { tool: 'fs_ls', keyOf: (key) => key });
  expect(items).toHaveLength(500);
  return notes;
};

it('a list that is whole has no note', async () => {
  expect(await noteFor('last', [])).toEqual([]);
});

it.each([
  { last: '/ada/plan.md', quoted: '"/ada/plan.md"' },
  { last: '/ada/a"b', quoted: '"/ada/a\\"b"' },
  { last: '/ada/\u202ex', quoted: '"/ada/\\u202ex"' },
  { last: '/ada/\u{e0001}x', quoted: '"/ada/\\udb40\\udc01x"' },
  { last: '/ada/\\u{202e}', quoted: '"/ada/\\\\u{202e}"' },
])('the note names $quoted so that a model passes exactly this key', async ({ last, quoted }) => {
  expect(await noteFor(last, ['next'])).toEqual([
    `There are more. Call fs_ls again with after ${quoted} to see them.`,
  ]);
  expect(JSON.parse(quoted)).toBe(last);
});
