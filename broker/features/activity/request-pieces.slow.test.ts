import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { pruneActivity } from '../../storage/prune-activity.ts';
import { changeStore, storeRows } from '../../testing/store-rows.ts';
import { rows, rowsOf } from './testing/activity-streams.ts';
import { type ActivityTeam, exchange, startActivityTeam } from './testing/activity-team.ts';

let team: ActivityTeam;
let ben: string;
let now = 1_000_000;
beforeAll(async () => {
  team = await startActivityTeam({ onDisk: true, clock: () => now });
});
beforeEach(() => {
  ben = team.nextMember();
});
afterAll(() => team.stop());

const file = (): string => join(team.broker.folder, 'activity.db');
const storedBytes = (): number =>
  storeRows<{ bytes: number }>(
    file(),
    `SELECT (SELECT total(length(event)) FROM activity) + (SELECT total(length(text)) FROM piece)
       + 100 * ((SELECT count(*) FROM activity) + (SELECT count(*) FROM piece)) AS bytes`,
  )[0]?.bytes ?? 0;
const pieceCount = (): number =>
  storeRows<{ count: number }>(file(), 'SELECT count(*) AS count FROM piece')[0]?.count ?? 0;

const system = 'You are helpful. '.repeat(300);
const tools = [{ name: 'read', description: 'Reads a file. '.repeat(100), schema: { type: 'object' } }];
const message = (n: number, text = `message ${n} `.repeat(40)) => ({
  role: n % 2 === 0 ? 'user' : 'assistant',
  content: [{ type: 'text', text }],
});
/** The nth exchange of a conversation: it carries everything before it. */
const nth = (n: number, ts = n) => {
  const messages = Array.from({ length: 2 * n + 1 }, (_, index) => message(index));
  return exchange(ts, {
    request: { system, messages, tools, maxTokens: 9, temperature: null, effort: 'high' },
  });
};

describe('a conversation', () => {
  it('takes space that grows with what is new in it, and is answered whole', async () => {
    const atStart = storedBytes();
    for (let n = 0; n < 100; n++) await team.upload(ben, [nth(n)]);
    const half = storedBytes() - atStart;
    for (let n = 100; n < 200; n += 10)
      await team.upload(
        ben,
        Array.from({ length: 10 }, (_, index) => nth(n + index)),
      );
    expect(storedBytes() - atStart).toBeLessThan(2.05 * half);
    const stored = await team.range('cy', ben, '?limit=1000');
    expect(stored.map(({ event }) => event)).toEqual(Array.from({ length: 200 }, (_, n) => nth(199 - n)));
  });

  it('that takes another course keeps both courses', async () => {
    const other = nth(3, 4);
    other.entry = structuredClone(other.entry);
    const { messages } = (other.entry as unknown as ReturnType<typeof requestIn>).request;
    messages[2] = message(2, 'compacted '.repeat(300));
    await team.upload(ben, [nth(3), other, nth(4, 5)]);
    const stored = await team.range(ben, ben);
    expect(stored.map(({ event }) => event)).toEqual([nth(4, 5), other, nth(3)]);
  });

  it('is carried whole by streams', async () => {
    const stream = await team.watch('cy', ben);
    await team.upload(ben, [nth(5), nth(6)]);
    await rows(stream, 2);
    expect(rowsOf(stream).map(({ event }) => event)).toEqual([nth(5), nth(6)]);
  });

  it('shares nothing with the same conversation of another member', async () => {
    const before = pieceCount();
    await team.upload(ben, [nth(2)]);
    const own = pieceCount() - before;
    await team.upload(team.nextMember(), [nth(2)]);
    expect(pieceCount() - before).toBe(2 * own);
  });

  it('of very many tiny messages is one row, because a piece of each would cost more than it saves', async () => {
    const before = pieceCount();
    const messages = Array.from({ length: 10_000 }, () => ({ role: 'user', content: [] }));
    const tiny = exchange(1, { request: { ...nth(0).entry.request, messages } });
    await team.upload(ben, [tiny]);
    expect(pieceCount()).toBe(before);
    expect((await team.range(ben, ben))[0]?.event).toEqual(tiny);
  });

  it('leaves no piece if its batch is refused', async () => {
    const before = pieceCount();
    await expect(team.upload(ben, [nth(2), { kind: 'llm_exchange', ts: 1 }])).rejects.toThrow();
    expect(pieceCount()).toBe(before);
  });

  it('of an earlier version stays readable', async () => {
    const event = JSON.stringify(nth(5));
    changeStore(
      file(),
      `INSERT INTO activity (member, ts, kind, created_at, event) VALUES ('${ben}', 5, 'llm_exchange', 5, '${event}')`,
    );
    expect((await team.range(ben, ben))[0]?.event).toEqual(nth(5));
  });
});

const requestIn = (entry: { request: { messages: unknown[] } }) => entry;

describe('pruning', () => {
  it('keeps the history that a younger exchange carries, and deletes the pieces that nothing refers to', async () => {
    await pruneActivity({ file: file(), before: Number.MAX_SAFE_INTEGER });
    expect(pieceCount()).toBe(0);
    now = 2_000_000;
    const other = exchange(9, {
      request: { ...nth(9).entry.request, system: 'Another system. '.repeat(400) },
    });
    await team.upload(ben, [nth(8), other]);
    const whole = pieceCount();
    now = 3_000_000;
    await team.upload(ben, [nth(4)]);
    await pruneActivity({ file: file(), before: 2_500_000 });
    expect((await team.range(ben, ben)).map(({ event }) => event)).toEqual([nth(4)]);
    // Ten messages of the longer course, and the other system prompt.
    expect(pieceCount()).toBe(whole - 11);
    await pruneActivity({ file: file(), before: 4_000_000 });
    expect(pieceCount()).toBe(0);
  });

  it('completes what an interrupted run left', async () => {
    await team.upload(ben, [nth(4)]);
    changeStore(file(), 'DELETE FROM activity');
    expect(pieceCount()).toBeGreaterThan(0);
    await pruneActivity({ file: file(), before: 0 });
    expect(pieceCount()).toBe(0);
    expect(storeRows(file(), 'SELECT * FROM loose_piece UNION ALL SELECT id FROM split_request')).toEqual([]);
  });

  it('keeps a loose piece that a conversation took up again', async () => {
    await team.upload(ben, [nth(4)]);
    changeStore(file(), 'DELETE FROM activity');
    await team.upload(ben, [nth(5)]);
    await pruneActivity({ file: file(), before: 0 });
    expect((await team.range(ben, ben)).map(({ event }) => event)).toEqual([nth(5)]);
  });
});
