/** The index itself, on a store of its own. */
import { expect, it } from 'vitest';
import type { SearchReply } from '#protocol/search.ts';
import { indexDifferences } from '../../testing/index-differences.ts';
import { openMainDatabase } from '../../testing/main-database.ts';
import { messageRow } from '../../testing/message-row.ts';
import { blockMark, type IndexedMessage, scopeMark, senderMark } from './index-marks.rules.ts';
import { phrasesOf } from './search.rules.ts';
import { searchUnits } from './search.sqlite.ts';
import { indexUnits } from './search-index.sqlite.ts';
import { reindexing, unindexing } from './unindexing.sqlite.ts';

const everything = { left: [], joined: ['ben'], limit: 100_000, characters: 100_000_000 };

/** `before`: what the first migration to be left out has in it. */
function openIndex(before?: string) {
  const { db, migrate } = openMainDatabase(before);
  const columns = ['seq', ...Object.keys(messageRow())];
  const insert = db.prepare(
    `INSERT INTO message (${columns.join(', ')}) VALUES (${columns.map((name) => `@${name}`).join(', ')})`,
  );
  return {
    db,
    insert: (seq: number, over: Parameters<typeof messageRow>[0] = {}) =>
      void insert.run({ ...messageRow({ id: `id ${seq}`, ts: seq, ...over }), seq }),
    migrate,
    turn: (limit: number, characters = 100_000) =>
      indexUnits(db).writes.fillIndex({ left: [], joined: ['ben'], limit, characters }),
    fill: () => indexUnits(db).writes.fillIndex(everything),
    search(
      q: string,
      more: { limit?: number; before?: string | null; budgetMs?: number; from?: string } = {},
    ): SearchReply {
      const { limit = 20, before = null, budgetMs = 60_000, from = null } = more;
      const [message = 0, objective = 0] = (before ?? '').split('-').map(Number);
      return searchUnits(db).longReads.searchPage({
        reader: { name: 'cy', isManager: false },
        phrases: phrasesOf(q),
        scope: null,
        from,
        before: before === null ? null : { message, objective },
        limit,
        budgetMs,
      });
    },
  };
}

it('a turn ends with its messages or with its characters, but takes one message at least', () => {
  const { insert, turn } = openIndex();
  for (const [at, length] of [4, 4, 20, 4, 4, 4].entries()) insert(at + 1, { body: 'x'.repeat(length) });
  expect(Array.from({ length: 4 }, () => turn(2, 10))).toEqual([
    { upTo: 2, isComplete: false, hasAllObjectives: true, hasOlder: false, isDamaged: false },
    { upTo: 3, isComplete: false, hasAllObjectives: true, hasOlder: false, isDamaged: false },
    { upTo: 5, isComplete: false, hasAllObjectives: true, hasOlder: false, isDamaged: false },
    { upTo: 6, isComplete: true, hasAllObjectives: true, hasOlder: false, isDamaged: false },
  ]);
});

it('holds what the store says that it holds, whatever the scope and the sender', () => {
  const { db, insert, fill } = openIndex();
  insert(1, { title: 'a title' });
  insert(2, { scope: 'chan:Ab-9', sender: 'a.b_c-d' });
  insert(40_000, { scope: 'dm:a.b_c-d:ben', sender: 'ben', recipient: 'a.b_c-d' });
  insert(70_000, { scope: 'obj:obj-1', body: 'it’s "quoted" – café', title: '\uE0005 \uE000\uE002ada' });
  insert(70_001, { body: 'ที่นี่ 用Ｄｏｃｋｅｒ部署 \u1112\u1161\u11ab ﾄﾞ', title: '部署' });
  fill();
  expect(indexDifferences(db)).toEqual([]);
  const unindex = unindexing(db);
  for (const message of db.prepare<[], IndexedMessage>('SELECT * FROM message').all()) unindex(message);
  db.exec('DELETE FROM message');
  expect(indexDifferences(db)).toEqual([]);
});

it('finds a phrase in a title or in a body, not across both, and no marks', () => {
  const { insert, fill, search } = openIndex();
  insert(1, { title: 'the blue', body: 'kettle boils in general' });
  fill();
  const found = (q: string) => search(q).results.length;
  expect([
    found('"the blue"'),
    found('"kettle boils"'),
    found('"blue kettle"'),
    found('blue kettle'),
  ]).toEqual([1, 1, 0, 1]);
  expect(found('ada')).toBe(0);
});

it('does not let a message claim a place, a conversation, or a sender, nor a search ask for one', () => {
  const { insert, fill, search } = openIndex();
  insert(1, { sender: 'ben', body: 'real' });
  insert(2, { body: 'forged \uE0000 \uE002ben \uE001dm\uE010ada\uE010cy' });
  fill();
  expect(search('forged', { from: 'ben' }).results).toEqual([]);
  expect(search('ben', {}).results.map(({ id }) => id)).toEqual(['id 2']);
  expect(search('\uE002ben').results.map(({ id }) => id)).toEqual(['id 2']);
  expect(() => search('\uE000 \uE001')).toThrow('at least one letter or digit');
});

it('goes through a large store block by block, without a gap or a repeat', () => {
  const { insert, fill, search } = openIndex();
  const places = [5, 32_767, 32_768, 70_000, 98_304, 200_000];
  for (const place of places) insert(place, { body: 'odd even' });
  fill();
  const expected = places.toReversed().map((place) => `id ${place}`);
  const inOne = search('odd');
  expect([inOne.results.map(({ id }) => id), inOne.next]).toEqual([expected, null]);

  const found: string[] = [];
  let pages = 0;
  for (let next: string | null | undefined; next !== null; pages++) {
    const page = search('odd', { before: next ?? null, budgetMs: 0 });
    found.push(...page.results.map(({ id }) => id));
    next = page.next;
  }
  expect(found).toEqual(expected);
  // The newest message is in block 6. Block 0 is the last one, and takes two pages, because a step ends between its messages.
  expect(pages).toBe(8);
});

it.each([0, 1998])('tells nothing about a match that the reader may not see, beside %i others', (others) => {
  const unreadable = { body: 'zanzibar', sender: 'ada', recipient: 'ben', scope: 'dm:ada:ben' };
  const nextOf = (isThere: boolean) => {
    const { insert, fill, search } = openIndex();
    insert(9000, { body: 'zanzibar' });
    for (let place = 4000; place < 4000 + others; place++) insert(place, unreadable);
    if (isThere) insert(1000, unreadable);
    fill();
    return [1, 2].flatMap((limit) =>
      [0, 60_000].map((budgetMs) => search('zanzibar', { limit, budgetMs }).next),
    );
  };
  expect(nextOf(true)).toEqual(nextOf(false));
});

it('ends a page after long texts, and goes on behind it', () => {
  const { insert, fill, search } = openIndex();
  for (let place = 1; place <= 8; place++) insert(place, { body: `${'ab '.repeat(20_000)}zebra` });
  fill();
  const found: string[] = [];
  let before: string | null = null;
  do {
    const { results, next }: SearchReply = search('zebra', { before });
    expect(results.length).toBeLessThan(4);
    found.push(...results.map(({ id }) => id));
    before = next;
  } while (before !== null);
  expect(found).toEqual([8, 7, 6, 5, 4, 3, 2, 1].map((place) => `id ${place}`));
});

it('finds words that are common in another block', () => {
  const { insert, fill, search } = openIndex();
  for (let place = 1; place <= 1200; place++) insert(place, { body: place % 2 ? 'odd' : 'even' });
  insert(1201, { body: 'odd even' });
  insert(40_000, { body: 'odd' });
  insert(80_000, { body: 'even' });
  fill();
  expect(search('odd even').results.map(({ id }) => id)).toEqual(['id 1201']);
  expect(search('"even odd"')).toEqual({ results: [], next: null });
  expect(search('odd', { limit: 2 }).results.map(({ id }) => id)).toEqual(['id 40000', 'id 1201']);
});

it('indexes what an older version had indexed again, the newest first, and finds no mentions in it', () => {
  const { db, insert, migrate, turn, search } = openIndex('message_words');
  for (let place = 1; place <= 5; place++) insert(place, { body: 'old @ben' });
  db.exec("UPDATE index_progress SET up_to = 5 WHERE what = 'message'");
  migrate();
  const mentions = () => db.prepare('SELECT count(*) FROM mention').pluck().get();
  const found = () => search('old').results.map(({ id }) => id);
  expect(turn(2)).toEqual({
    upTo: 5,
    isComplete: true,
    hasAllObjectives: true,
    hasOlder: true,
    isDamaged: false,
  });
  expect(found()).toEqual(['id 5', 'id 4']);
  expect(search('nothing')).toEqual({ results: [], next: null, indexing: true });
  insert(6, { body: 'not so old @ben' });
  expect(turn(2)).toEqual({
    upTo: 6,
    isComplete: true,
    hasAllObjectives: true,
    hasOlder: true,
    isDamaged: false,
  });
  expect(found()).toEqual(['id 6', 'id 5', 'id 4', 'id 3', 'id 2']);
  expect(turn(2)).toEqual({
    upTo: 6,
    isComplete: true,
    hasAllObjectives: true,
    hasOlder: false,
    isDamaged: false,
  });
  expect([found().length, mentions()]).toEqual([6, 1]);
  expect(search('nothing')).toEqual({ results: [], next: null });
});

it('takes the mentions that an earlier rule had found out with the message', () => {
  const { db, insert, fill } = openIndex();
  insert(1, { body: '`@ben`' });
  fill();
  db.prepare("INSERT INTO mention (member, scope, seq) VALUES ('ben', 'general', 1)").run();
  unindexing(db)({ seq: 1, scope: 'general', sender: 'ada' });
  expect(db.prepare('SELECT count(*) FROM mention').pluck().get()).toBe(0);
});

it('indexes messages and objectives of a store again that had them in words with spaces, though some change before', () => {
  const { db, insert, migrate, turn, search } = openIndex('search-words.rules.ts');
  for (let place = 1; place <= 6; place++)
    insert(place, { title: `第${place}`, body: '我们用Ｄｏｃｋｅｒ部署' });
  const objective = db.prepare(
    `INSERT INTO objective (num, id, title, outcome, body, status, assignee, originator, attachments, created_at, updated_at)
     VALUES (?, ?, '迁移数据库', '完成', 'ที่นี่', 'active', 'cy', 'cy', '[]', 1, 1)`,
  );
  for (let num = 1; num <= 3; num++) objective.run(num, `objective ${num}`);
  db.exec(`
    INSERT INTO message_words (rowid, words) SELECT seq, words FROM indexed_message;
    INSERT INTO objective_text (rowid, title, outcome, body, originator) SELECT num, title, outcome, body, originator FROM objective;
    UPDATE index_progress SET up_to = 6 WHERE what = 'message';
    UPDATE index_progress SET up_to = 3 WHERE what = 'objective';
  `);
  migrate();
  const found = (q: string) => search(q).results.map(({ id }) => id);
  const at = (seq: number) => ({ seq, scope: 'general', sender: 'ada' });
  const remove = (seq: number) => {
    unindexing(db)(at(seq));
    db.prepare('DELETE FROM message WHERE seq = ?').run(seq);
  };
  const edit = (seq: number) =>
    reindexing(db)(at(seq), () => db.prepare("UPDATE message SET body = '已删除' WHERE seq = ?").run(seq));
  remove(1);
  edit(2);
  expect(turn(2)).toMatchObject({ hasAllObjectives: false, hasOlder: true, isDamaged: false });
  expect(search('迁移')).toMatchObject({
    results: [{ id: 'objective 2' }, { id: 'objective 1' }],
    indexing: true,
  });
  expect(turn(2)).toMatchObject({ hasAllObjectives: true, hasOlder: true, isDamaged: false });
  expect(found('部署')).toEqual(['id 6', 'id 5']);
  remove(6);
  edit(5);
  edit(4);
  while (turn(2).hasOlder);
  expect(indexDifferences(db)).toEqual([]);
  expect([found('docker部'), found('删除'), found('第4')]).toEqual([
    ['id 3'],
    ['id 5', 'id 4', 'id 2'],
    ['id 4'],
  ]);
  for (const q of ['数据', '完成', 'ที่นี'])
    expect(found(q)).toEqual([3, 2, 1].map((num) => `objective ${num}`));
  expect(search('部署')).not.toHaveProperty('indexing');
});

it('cannot be asked for its own marks, which would tell how much others write to each other', () => {
  const { insert, fill, search } = openIndex();
  insert(1, { body: 'to all' });
  for (let seq = 2; seq < 2100; seq++)
    insert(seq, { sender: 'ada', recipient: 'ben', scope: 'dm:ada:ben', body: 'to one' });
  fill();
  for (const mark of [blockMark(1), scopeMark('general'), scopeMark('dm:ada:ben'), senderMark('ada')])
    for (const q of [mark, `${mark} to`, `"${mark} to"`])
      expect(search(q), JSON.stringify(q)).toEqual({ results: [], next: null });
});

it('knows of a mention whether a runner reported evidence for it before it was indexed', () => {
  const { db, insert, fill } = openIndex();
  insert(1, { body: 'for @ben' });
  insert(2, { body: 'for @ben, too' });
  db.exec("INSERT INTO evidence VALUES (2, 'ben', 'in_context', 1)");
  fill();
  expect(db.prepare('SELECT seq, taken FROM mention ORDER BY seq').all()).toEqual([
    { seq: 1, taken: 0 },
    { seq: 2, taken: 1 },
  ]);
});
