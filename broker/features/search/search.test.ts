import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openForTest } from '../../storage/testing/test-store.ts';
import { messageRow } from '../../testing/message-row.ts';
import { startTestBroker, type TestBroker } from '../../testing/test-broker.ts';
import type { SearchUnits } from './search.sqlite.ts';

interface Units extends SearchUnits {
  acceptMessage(input: object): Promise<object>;
}

const threadModule = new URL('../../store-thread.ts', import.meta.url);

let team: TestBroker;
let opsId: string;
beforeAll(async () => {
  team = await startTestBroker();
  const ops = await team.as('ben').call('createChannel', { body: { slug: 'ops' } });
  opsId = ops.id;
});
afterAll(() => team.stop());

const say = async (name: string, body: object): Promise<string> =>
  (await team.as(name).call('push', { body: { body: '', ...body } })).message.id;
const find = (name: string, q: string, more: object = {}) =>
  team.as(name).call('search', { query: { q, ...more } });
const idsFound = async (name: string, q: string, more: object = {}): Promise<string[]> =>
  (await find(name, q, more)).results.map(({ id }) => id);

describe('GET /search', () => {
  it('finds words and phrases in titles and bodies, newest first', async () => {
    const first = await say('ada', { body: 'the kettle boils' });
    const second = await say('ben', { title: 'Kettle', body: 'is new' });
    expect(await idsFound('cy', 'KETTLE')).toEqual([second, first]);
    expect(await idsFound('cy', '"kettle boils"')).toEqual([first]);
    expect(await idsFound('cy', '"boils kettle"')).toEqual([]);
    expect(await idsFound('cy', 'kettle new')).toEqual([second]);
  });

  it('returns scope, sender, time, and a snippet with the positions of the matches', async () => {
    const id = await say('ada', { to: 'ben', body: 'a zebra crossing' });
    const { results } = await find('ben', 'zebra');
    expect(results).toEqual([
      {
        kind: 'message',
        id,
        scope: 'dm:ada',
        ts: expect.any(Number),
        from: 'ada',
        snippet: 'a zebra crossing',
        ranges: [[2, 7]],
      },
    ]);
    expect((await find('ada', 'zebra')).results[0]?.scope).toBe('dm:ben');
  });

  it('finds only what the caller can read at that moment', async () => {
    await say('ada', { to: 'ben', body: 'walrus one' });
    const post = await say('ben', { body: 'walrus two', data: { thread: `chan:${opsId}` } });
    expect(await idsFound('cy', 'walrus')).toEqual([]);
    await team.as('cy').call('joinChannel', { params: { slug: 'ops' }, body: { member: 'cy' } });
    expect(await idsFound('cy', 'walrus')).toEqual([post]);
    await team.as('cy').call('leaveChannel', { params: { slug: 'ops', name: 'cy' } });
    expect(await idsFound('cy', 'walrus')).toEqual([]);
    expect(await idsFound('cy', 'walrus', { in: `chan:${opsId}` })).toEqual([]);
  });

  it('narrows to a scope and to a sender', async () => {
    const broadcast = await say('ada', { body: 'quince jam' });
    const direct = await say('ada', { to: 'ben', body: 'quince pie' });
    const reply = await say('ben', { to: 'ada', body: 'quince tart' });
    expect(await idsFound('ben', 'quince', { in: 'dm:ada' })).toEqual([reply, direct]);
    expect(await idsFound('ben', 'quince', { in: 'general' })).toEqual([broadcast]);
    expect(await idsFound('ben', 'quince', { from: 'ben' })).toEqual([reply]);
    expect(await idsFound('ben', 'quince', { in: 'dm:ada', from: 'ada' })).toEqual([direct]);
  });

  it('pages with next passed back as before, without a gap or a repeat', async () => {
    const sent: string[] = [];
    for (let n = 0; n < 7; n++) sent.push(await say('ada', { body: `pelican ${n}` }));
    const paged: string[] = [];
    let before: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof find>> = await find('cy', 'pelican', {
        limit: '3',
        ...(before !== null && { before }),
      });
      paged.push(...page.results.map(({ id }) => id));
      before = page.next;
    } while (before !== null);
    expect(paged).toEqual(sent.reverse());
  });

  it('reveals nothing about matches that the caller cannot read, not even that there is a next page', async () => {
    const probe = async (word: string) => {
      await say('cy', { to: 'cy', body: word });
      return (await find('cy', word, { limit: '1' })).next;
    };
    await say('ada', { to: 'ben', body: 'the password is okapi' });
    expect(await probe('okapi')).toBeNull();
    expect(await probe('tapir')).toBeNull();
    expect(await probe('tapir')).not.toBeNull();
  });

  it('treats nothing in a query as syntax', async () => {
    const id = await say('ada', { body: 'gnu NEAR emu' });
    expect(await idsFound('cy', 'gnu NEAR emu')).toEqual([id]);
    expect(await idsFound('cy', '{body}: gnu')).toEqual([]);
    for (const q of ['gnu"', '"gnu', 'gnu*', '(gnu', 'gnu)', '-gnu', "gnu'", '^gnu', 'gnu\u0000'])
      expect(await idsFound('cy', q), q).toEqual([id]);
  });

  it.each([
    ['?q=', 400],
    ['', 400],
    [`?q=${'a'.repeat(201)}`, 400],
    ['?q=%2A', 400],
    ['?q=a&limit=0', 400],
    ['?q=a&limit=101', 400],
    ['?q=a&before=x', 400],
    ['?q=a&in=nowhere', 400],
    ['?q=a&in=chan:general', 200],
  ])('%s answers %i', async (query, status) => {
    const reply = await team.fetch('cy', `/search${query}`);
    expect(reply.status).toBe(status);
    await reply.body?.cancel();
  });

  it('indexes at start what a kill left out of the index', async () => {
    const onDisk = await startTestBroker({ onDisk: true });
    try {
      const { message } = await onDisk.as('ada').call('push', { body: { body: 'capybara' } });
      await onDisk.restart();
      expect((await onDisk.as('ben').call('search', { query: { q: 'capybara' } })).results).toMatchObject([
        { id: message.id },
      ]);
    } finally {
      await onDisk.stop();
    }
  });
});

it('an index turn ends with its messages or with its characters, but takes one message at least', async () => {
  const { units } = await openForTest<Units>({ store: 'main', file: ':memory:', threadModule });
  for (const [at, length] of [4, 4, 20, 4, 4, 4].entries())
    await units.acceptMessage({
      message: messageRow({ id: `id ${at}`, ts: at + 1, body: 'x'.repeat(length) }),
      author: { kind: 'person' },
      to: { kind: 'everyone', targets: 1 },
      answerKey: null,
    });
  const turns = [];
  for (let turn = 0; turn < 4; turn++)
    turns.push(await units.fillIndex({ left: [], joined: [], limit: 2, characters: 10 }));
  expect(turns).toEqual([
    { upTo: 2, isComplete: false },
    { upTo: 3, isComplete: false },
    { upTo: 5, isComplete: false },
    { upTo: 6, isComplete: true },
  ]);
});
