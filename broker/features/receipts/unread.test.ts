import { expect, it } from 'vitest';
import { MemberName } from '#protocol/ids.ts';
import { openForTest } from '../../storage/testing/test-store.ts';
import { messageRow } from '../../testing/message-row.ts';
import type { ReceiptUnits } from './receipts.sqlite.ts';
import type { UnreadUnits } from './unread.sqlite.ts';
import { readUnread } from './unread.ts';

/** Mentions are written together with the search index. */
interface Units extends UnreadUnits, Pick<ReceiptUnits, 'keepRead'> {
  fillIndex(input: { left: string[]; joined: string[]; limit: number; characters: number }): Promise<object>;
  acceptMessage(input: object): Promise<object>;
  createObjective(input: object): Promise<object>;
}

const ben = MemberName.parse('ben');
const members = { readerOf: (name: MemberName) => ({ name, isManager: false }) };
const threadModule = new URL('../../store-thread.ts', import.meta.url);

it('counts mentions whether their message is indexed or not', async () => {
  const { units } = await openForTest<Units>({ store: 'main', file: ':memory:', threadModule });
  for (const [at, body] of ['for @ben', 'for nobody', 'again for @ben', 'for @bens'].entries())
    await units.acceptMessage({
      message: messageRow({ id: `id ${at}`, ts: at + 1, title: at === 1 ? 'to @ben, too' : null, body }),
      author: { kind: 'person' },
      to: { kind: 'everyone', targets: 1 },
      answerKey: null,
    });
  for (const indexed of [0, 1, 2, 4]) {
    if (indexed > 0)
      await units.fillIndex({
        left: [],
        joined: ['ada', 'ben'],
        limit: indexed === 4 ? 2 : 1,
        characters: 1000,
      });
    expect(await readUnread({ units, members }, ben), `${indexed} of 4 are in the index`).toEqual({
      scopes: [{ scope: 'general', count: 4, mentions: 3, lastReadId: null }],
      newestId: 'id 3',
    });
  }
});

const openUnits = async () =>
  (await openForTest<Units>({ store: 'main', file: ':memory:', threadModule })).units;
const author = { kind: 'person' };

/** Posts a direct message to ben. */
const tell = (units: Units, id: string, ts: number, sender: string) =>
  units.acceptMessage({
    message: messageRow({ id, ts, sender, recipient: 'ben', scope: `dm:ben:${sender}` }),
    author,
    to: { kind: 'members', members: ['ben'], targets: 1 },
    answerKey: null,
  });

it('has the conversations with something new first, then general and those that were marked as read last', async () => {
  const units = await openUnits();
  const scopes = async () =>
    (await readUnread({ units, members }, ben)).scopes.map(({ scope, count }) => `${scope} ${count}`);
  const senders = Array.from({ length: 60 }, (_, at) => `m${at}`);
  for (const [at, sender] of senders.entries()) await tell(units, `id ${at}`, at + 1, sender);
  expect(await scopes()).toEqual([...senders.toReversed().map((sender) => `dm:${sender} 1`), 'general 0']);
  for (const [at, sender] of senders.entries())
    await units.keepRead({
      reader: { name: 'ben', isManager: false },
      scope: `dm:ben:${sender}`,
      upTo: `id ${at}`,
      at: at + 1,
      managers: [],
    });
  const marked = senders.slice(10).toReversed();
  expect(await scopes()).toEqual(['general 0', ...marked.map((sender) => `dm:${sender} 0`)]);
  await tell(units, 'new', 100, 'm3');
  expect((await scopes()).slice(0, 2)).toEqual(['dm:m3 1', 'general 0']);
});

it('says that there are more than the 1,000 newest conversations', async () => {
  const units = await openUnits();
  const unread = () => readUnread({ units, members }, ben);
  for (let at = 0; at < 1000; at++) await tell(units, `id ${at}`, at + 1, `m${at}`);
  expect(await unread()).not.toHaveProperty('more');
  await tell(units, 'id 1000', 1001, 'm1000');
  const { scopes, more } = await unread();
  expect(more).toBe(true);
  expect(scopes.map(({ scope }) => scope)).toEqual([
    ...Array.from({ length: 1000 }, (_, at) => `dm:m${1000 - at}`),
    'general',
  ]);
});

it('leaves out threads before direct messages, however new they are, and keeps the order', async () => {
  const units = await openUnits();
  const ask = (ts: number) =>
    units.createObjective({
      actor: { name: 'ada', permissions: [], isAgent: false },
      managers: [],
      unknown: [],
      stamps: [{ id: `thread ${ts}`, ts }],
      draft: {
        ...{ id: `obj_${ts}`, title: 'Draw', outcome: 'Drawn', body: '', assignee: 'ben', originator: 'ada' },
        ...{ watchers: [], attachments: [] },
      },
      answerKey: null,
    });
  await tell(units, 'oldest', 1, 'ada');
  for (let ts = 2; ts <= 1001; ts++) await ask(ts);
  await tell(units, 'newest', 1002, 'cy');
  const { scopes, more } = await readUnread({ units, members }, ben);
  expect(more).toBe(true);
  expect(scopes.map(({ scope }) => scope)).toEqual([
    'dm:cy',
    ...Array.from({ length: 998 }, (_, at) => `obj:obj_${1001 - at}`),
    'dm:ada',
    'general',
  ]);
});

it('has what others wrote before the conversations in which only the reader wrote, however many', async () => {
  const units = await openUnits();
  const reply = (id: string, ts: number, to: string) =>
    units.acceptMessage({
      message: messageRow({
        ...{ id, ts, sender: 'ben', recipient: to },
        scope: `dm:${['ben', to].sort().join(':')}`,
      }),
      author,
      to: { kind: 'members', members: ['ben', to], targets: 1 },
      answerKey: null,
    });
  await tell(units, 'unread', 1, 'ada');
  await tell(units, 'read', 2, 'cy');
  await reply('answer', 3, 'cy');
  const reader = { name: 'ben', isManager: false };
  await units.keepRead({ reader, scope: 'dm:ben:cy', upTo: 'read', at: 1, managers: [] });
  for (let at = 0; at < 1001; at++) await reply(`id ${at}`, at + 4, `m${at}`);
  const { scopes, more } = await readUnread({ units, members }, ben);
  expect(more).toBeUndefined();
  expect(scopes.map(({ scope, count }) => `${scope} ${count}`)).toEqual([
    'dm:ada 1',
    ...Array.from({ length: 999 }, (_, at) => `dm:m${1000 - at} 0`),
    'general 0',
    'dm:cy 0',
  ]);
});

it('counts behind any number of the reader’s own messages', async () => {
  const units = await openUnits();
  const post = (at: number, sender: string) =>
    units.acceptMessage({
      message: messageRow({ id: `id ${at}`, ts: at + 1, sender }),
      author,
      to: { kind: 'everyone', targets: 1 },
      answerKey: null,
    });
  const own = 25_000;
  await Promise.all(Array.from({ length: own }, (_, at) => post(at, 'ben')));
  await post(own, 'ada');
  expect(await readUnread({ units, members }, ben)).toEqual({
    scopes: [{ scope: 'general', count: 1, mentions: 0, lastReadId: null }],
    newestId: `id ${own}`,
  });
});

it('counts what is new in general and in what was marked last, behind 1,000 newer conversations', async () => {
  const units = await openUnits();
  const mark = (scope: string, upTo: string) =>
    units.keepRead({ reader: { name: 'ben', isManager: false }, scope, upTo, at: 1, managers: [] });
  await units.acceptMessage({
    message: messageRow({ id: 'to all', ts: 1 }),
    author,
    to: { kind: 'everyone', targets: 1 },
    answerKey: null,
  });
  await tell(units, 'old', 2, 'cy');
  await mark('dm:ben:cy', 'old');
  await tell(units, 'less old', 3, 'cy');
  for (let at = 0; at < 1000; at++) await tell(units, `id ${at}`, at + 4, `m${at}`);
  const { scopes, more } = await readUnread({ units, members }, ben);
  expect(more).toBe(true);
  expect(scopes.slice(1000)).toEqual([
    { scope: 'general', count: 1, mentions: 0, lastReadId: null },
    { scope: 'dm:cy', count: 1, mentions: 0, lastReadId: 'old' },
  ]);
});

it('says that there may be more behind conversations that the reader may not read anymore', async () => {
  const units = await openUnits();
  const hide = (at: number) =>
    units.acceptMessage({
      message: messageRow({ id: `id ${at}`, ts: at + 2, recipient: 'ben', scope: `obj:gone${at}` }),
      author,
      to: { kind: 'members', members: ['ben'], targets: 1 },
      answerKey: null,
    });
  await tell(units, 'first', 1, 'cy');
  for (let at = 0; at < 1000; at++) await hide(at);
  const scopesAndMore = async () => {
    const { scopes, more } = await readUnread({ units, members }, ben);
    return [scopes.map(({ scope }) => scope), more];
  };
  expect(await scopesAndMore()).toEqual([['dm:cy', 'general'], undefined]);
  await hide(1000);
  expect(await scopesAndMore()).toEqual([['dm:cy', 'general'], true]);
});
