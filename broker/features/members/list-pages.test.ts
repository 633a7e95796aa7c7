import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestBroker, type TestBroker } from '../../testing/test-broker.ts';

let team: TestBroker;
beforeAll(async () => {
  team = await startTestBroker({ members: { zoe: ['members.manage'], Ben: [], cy: [], ada: [] } });
  for (const slug of ['zebra', 'apple', 'later'])
    await team.as('zoe').call('createChannel', { body: { slug } });
});
afterAll(() => team.stop());

interface Lists {
  teammates: { name: string }[];
  connected: { name: string }[];
  members: { name: string }[];
  channels: { slug: string }[];
}
/** Each list answers some of them. */
const read = async (path: string): Promise<{ status: number; body: Lists }> => {
  const reply = await team.fetch('Ben', path);
  return { status: reply.status, body: (await reply.json()) as Lists };
};
const names = (list: { name: string }[]): string[] => list.map(({ name }) => name);

describe('GET /roster and GET /members', () => {
  it('answer everybody in the order of the configuration if no page is asked for', async () => {
    const configured = ['zoe', 'Ben', 'cy', 'ada'];
    expect(names((await read('/roster')).body.teammates)).toEqual(configured);
    expect(names((await read('/members')).body.members)).toEqual(configured);
  });

  it('answer pages by name, and presence for the same members', async () => {
    const first = (await read('/roster?limit=2')).body;
    expect([names(first.teammates), names(first.connected)]).toEqual([
      ['Ben', 'ada'],
      ['Ben', 'ada'],
    ]);
    expect(names((await read('/roster?limit=2&after=ada')).body.teammates)).toEqual(['cy', 'zoe']);
    expect(names((await read('/members?after=bob')).body.members)).toEqual(['cy', 'zoe']);
    expect((await read('/members?after=zoe&limit=500')).body).toEqual({ members: [] });
  });

  it('shows private fields on a page to managers only', async () => {
    const [forManager] = (await team.as('zoe').call('members', { query: { limit: '1' } })).members;
    const [forOthers] = (await team.as('cy').call('members', { query: { limit: '1' } })).members;
    expect(forManager).toHaveProperty('instructions');
    expect(Object.keys(forOthers ?? {}).sort()).toEqual(['name', 'permissions', 'role']);
  });

  it('has a new member on the next page that is read', async () => {
    await read('/roster?limit=1');
    const role = { title: 'New', description: '' };
    await team.as('zoe').call('createMember', { body: { name: 'bob', role, permissions: [] } });
    expect(names((await read('/roster?limit=2&after=ada')).body.teammates)).toEqual(['bob', 'cy']);
    await team.as('zoe').call('deleteMember', { params: { name: 'bob' } });
    expect(names((await read('/roster?limit=1&after=bob')).body.teammates)).toEqual(['cy']);
  });
});

describe('GET /channels', () => {
  const slugs = async (query: string): Promise<string[]> =>
    (await read(`/channels${query}`)).body.channels.map(({ slug }) => slug);

  it.each([
    { query: '', expected: ['general', 'apple', 'later', 'zebra'] },
    { query: '?limit=1', expected: ['general'] },
    { query: '?limit=2', expected: ['general', 'apple'] },
    { query: '?limit=1&after=general', expected: ['apple'] },
    { query: '?limit=2&after=apple', expected: ['later', 'zebra'] },
    { query: '?after=banana', expected: ['later', 'zebra'] },
    { query: '?after=zebra', expected: [] },
  ])('answers "$query" with general first and then by slug', async ({ query, expected }) => {
    expect(await slugs(query)).toEqual(expected);
  });
});

it.each([
  '/roster?limit=0',
  '/members?limit=501',
  '/channels?limit=x',
  '/members?after=a..b',
  '/channels?after=A',
])('refuses %s with 400', async (path) => {
  expect((await read(path)).status).toBe(400);
});
