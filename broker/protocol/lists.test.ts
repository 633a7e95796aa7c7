import { describe, expect, it } from 'vitest';
import { type BrokerClient, createClient } from './client.ts';
import {
  channelPages,
  folderPages,
  memberPages,
  objectivePages,
  rosterPages,
  sharedFilePages,
} from './lists.ts';
import { allOf, atMost, type Pages } from './pages.ts';

const numbered = (count: number): string[] =>
  Array.from({ length: count }, (_, n) => `k${String(n).padStart(4, '0')}`);

/** A client of a broker whose answers have items with these keys, and the addresses that it was asked for. */
function clientOf(answer: (asked: URLSearchParams) => string[]) {
  const asked: string[] = [];
  const client = createClient(async ({ url }) => {
    asked.push(url);
    const items = answer(new URL(url, 'http://broker').searchParams).map((key) => ({
      name: key,
      path: key,
      slug: key,
      id: key,
    }));
    const lists = ['teammates', 'connected', 'members', 'channels', 'entries', 'objectives'];
    const body = JSON.stringify(Object.fromEntries(lists.map((list) => [list, items])));
    return { status: 200, headers: new Headers(), text: async () => body };
  });
  return { client, asked };
}

interface Case {
  name: string;
  read: (client: BrokerClient) => Pages<unknown>;
  size: number;
  first: string;
  next: string;
}

const cases: Case[] = [
  {
    name: 'roster',
    read: (client) => rosterPages(client),
    size: 500,
    first: '/roster?limit=500',
    next: '&after=k0499',
  },
  {
    name: 'members',
    read: (client) => memberPages(client),
    size: 500,
    first: '/members?limit=500',
    next: '&after=k0499',
  },
  {
    name: 'channels',
    read: (client) => channelPages(client),
    size: 500,
    first: '/channels?limit=500',
    next: '&after=k0499',
  },
  {
    name: 'files of a folder',
    read: (client) => folderPages(client, '/ada'),
    size: 1000,
    first: '/fs/ls?path=%2Fada&limit=1000',
    next: '&after=k0999',
  },
  {
    name: 'shared files',
    read: (client) => sharedFilePages(client),
    size: 1000,
    first: '/fs/shared?limit=1000',
    next: '&after=k0999',
  },
];

describe.each(cases)('the list of $name', ({ read, size, first, next }) => {
  it('is asked for in pages, each after the last item of the one before', async () => {
    const all = numbered(size + 2);
    const { client, asked } = clientOf((query) =>
      all.filter((key) => key > (query.get('after') ?? '')).slice(0, Number(query.get('limit'))),
    );
    expect(await allOf(read(client))).toHaveLength(size + 2);
    expect(asked).toEqual([first, first + next]);
  });

  it.each([{ more: 0 }, { more: 2 }])(
    'has each item once from a broker without pages, $more more than a page',
    async ({ more }) => {
      const { client } = clientOf(() => numbered(size + more));
      expect(await allOf(read(client))).toHaveLength(size + more);
    },
  );
});

it.each([
  { kind: 'with pages', answered: ['k0003', 'k0004'] },
  { kind: 'without pages', answered: ['k0001', 'k0002', 'k0003', 'k0004'] },
])('a list after a key has only what follows it, from a broker $kind', async ({ answered }) => {
  const { client, asked } = clientOf(() => answered);
  const found = await allOf(rosterPages(client, { after: 'k0002' }));
  expect(found.map(({ teammate }) => teammate.name)).toEqual(['k0003', 'k0004']);
  expect(asked).toEqual(['/roster?limit=500&after=k0002']);
});

it('a list of at most two items is asked for no more than these', async () => {
  const { client, asked } = clientOf((query) => numbered(9).slice(0, Number(query.get('limit'))));
  expect(await allOf(atMost(rosterPages(client, { max: 2 }), 2))).toHaveLength(2);
  expect(asked).toEqual(['/roster?limit=2']);
});

it('objectives are read from the newest on, with their filters on each page', async () => {
  const all = numbered(502).reverse();
  const { client, asked } = clientOf((query) =>
    all.filter((id) => id < (query.get('before') ?? 'l')).slice(0, Number(query.get('limit'))),
  );
  const found = await allOf(objectivePages(client, { status: 'active', before: 'k0501' }));
  expect(found.map(({ id }) => id)).toEqual(all.slice(1));
  expect(asked).toEqual([
    '/objectives?status=active&before=k0501&limit=500',
    '/objectives?status=active&before=k0001&limit=500',
  ]);
});
