import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { BrokerError } from '#protocol/errors.ts';
import { MemberName } from '#protocol/ids.ts';
import { requestScope } from '../runtime/request-scope.ts';
import { openStore } from './store-host.ts';
import { keptLog, openForTest, openTestStore, testFolder, testThread } from './testing/test-store.ts';
import type { Item, TestUnits } from './testing/test-store-thread.ts';

/** The scope of a request of a member. */
const requestOf = (name: string) => ({
  storeTime: { queue: 0, statements: 0, commit: 0 },
  origin: {
    actor: { name: MemberName.parse(name), plane: 'bearer', credentialId: 'token' } as const,
    address: '127.0.0.1',
  },
  span: null,
});

const places = [
  ['in memory', async () => ':memory:'],
  ['in a file', async () => join(await testFolder(), 'test.db')],
] as const;

it('answers what was read before the turn has read everything', async () => {
  const { units } = await openTestStore(join(await testFolder(), 'test.db'));
  const gate = new Int32Array(new SharedArrayBuffer(4));
  await units.names();
  const [first, refused, second] = [units.readFor(2), units.refusedRead(), units.readUntil(gate)];
  const last = units.names();
  // Otherwise, the first one would wait for the second one, which waits for this.
  expect(await first).toBe(2);
  Atomics.store(gate, 0, 1);
  Atomics.notify(gate, 0);
  await expect(refused).rejects.toThrow();
  expect(await second).toMatch(/^(ok|not-equal)$/);
  expect(await last).toEqual([]);
});

it('gives each member as much time of the reading thread as another one, and reads what is short first', async () => {
  const { units } = await openTestStore(join(await testFolder(), 'test.db'));
  const gate = new Int32Array(new SharedArrayBuffer(4));
  const longMs = 200;
  // The store learns what calls take.
  await units.readFor(longMs);
  for (let call = 0; call < 30; call++) await units.names();
  const blocking = units.readUntil(gate);
  await new Promise((resolve) => setImmediate(resolve));
  const answered: string[] = [];
  const asked = ['flood', 'flood', 'ben', 'ben', 'ben'].map((caller) =>
    requestScope.run(requestOf(caller), async () => {
      await (caller === 'flood' ? units.readFor(longMs) : units.names());
      answered.push(caller);
    }),
  );
  Atomics.store(gate, 0, 1);
  Atomics.notify(gate, 0);
  await Promise.all([blocking, ...asked]);
  expect(answered).toEqual(['ben', 'ben', 'ben', 'flood', 'flood']);
});

describe.each(places)('a store %s', (_, place) => {
  it('rolls back a refused unit alone; others in the same commit stand', async () => {
    const { units } = await openTestStore(await place());
    const [first, refused, broken, taken, last] = await Promise.allSettled([
      units.add({ name: 'first' }),
      units.addThenRefuse({ name: 'refused' }),
      units.addThenBreak({ name: 'broken' }),
      units.add({ name: 'first' }),
      units.add({ name: 'last' }),
    ]);
    expect([first, last]).toEqual([
      { status: 'fulfilled', value: 1 },
      { status: 'fulfilled', value: 2 },
    ]);
    expect([refused, broken, taken].map(({ status }) => status)).toEqual([
      'rejected',
      'rejected',
      'rejected',
    ]);
    expect(await units.names()).toEqual(['first', 'last']);
  });

  it('reads what was acknowledged before', async () => {
    const { units } = await openTestStore(await place());
    for (let n = 1; n <= 200; n++) {
      await units.add({ name: `item ${n}` });
      expect(await units.names()).toHaveLength(n);
    }
  });

  it('answers in the order of the calls, each call its own answer', async () => {
    const store = await openTestStore(await place());
    const settled: number[] = [];
    const answers = Array.from({ length: 5000 }, async (_, n) => {
      const answer = await (n % 7 === 0
        ? store.units.addThenRefuse({ name: `${n}` })
        : store.units.add({ name: `${n}` })
      ).catch(() => null);
      settled.push(n);
      return answer;
    });
    expect(store.pending).toBe(5000);
    let accepted = 0;
    for (const [n, answer] of (await Promise.all(answers)).entries()) {
      if (n % 7 === 0) expect(answer).toBeNull();
      else expect(answer).toBe(++accepted);
    }
    expect(settled).toEqual([...settled].sort((a, b) => a - b));
    expect(store.pending).toBe(0);
  });

  it('passes on a refusal with its code, reason, message, details, and Retry-After', async () => {
    const { units } = await openTestStore(await place());
    const refused: unknown = await units.addThenRefuse({ name: 'x' }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(BrokerError);
    expect(refused).toMatchObject({
      code: 'conflict',
      status: 409,
      reason: 'name_taken',
      message: 'the name "x" is taken by "ana"; choose another name',
      details: { by: 'x' },
      retryAfter: 7,
    });
    await expect(units.refusedRead()).rejects.toMatchObject({
      code: 'forbidden',
      reason: 'not_a_recipient',
    });
  });

  it('answers a bug with internal; the cause is only in the log', async () => {
    const { log, lines } = keptLog();
    const { units } = await openTestStore(await place(), log);
    const failed = await units.addThenBreak({ name: 'x' }).catch((error: BrokerError) => error);
    expect(failed).toMatchObject({ code: 'internal', message: 'the broker failed; its log has the cause' });
    expect(lines()).toContainEqual(
      expect.objectContaining({
        unit: 'addThenBreak',
        cause: expect.stringContaining('TypeError: secret cause x'),
      }),
    );
  });

  it('answers internal if a unit returns what is not plain data, and continues', async () => {
    const { units } = await openTestStore(await place());
    const [, odd, after] = await Promise.allSettled([
      units.add({ name: 'before' }),
      units.addAndAnswerCode({ name: 'odd' }),
      units.add({ name: 'after' }),
    ]);
    expect(odd).toMatchObject({ status: 'rejected', reason: { code: 'internal' } });
    expect(after.status).toBe('fulfilled');
    expect(await units.names()).toContain('after');
  });

  it('answers internal to a call whose input cannot be sent to the thread, and runs the others of its turn', async () => {
    const { log, lines } = keptLog();
    const { units } = await openTestStore(await place(), log);
    const deep: unknown = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000));
    const [before, refused, after] = await Promise.allSettled([
      units.add({ name: 'before' }),
      units.add({ name: 'deep', deep } as Item),
      units.add({ name: 'after' }),
    ]);
    expect(refused).toMatchObject({ status: 'rejected', reason: { code: 'internal' } });
    expect([before.status, after.status]).toEqual(['fulfilled', 'fulfilled']);
    expect(await units.names()).toEqual(['before', 'after']);
    expect(lines()).toContainEqual(expect.objectContaining({ unit: 'add', level: 50 }));
  });

  it('rejects only the call whose input cannot be sent, also if a turn is under way', async () => {
    const { units } = await openTestStore(await place());
    const deep: unknown = JSON.parse('['.repeat(100_000) + ']'.repeat(100_000));
    const first = units.add({ name: 'first' });
    // The first turn leaves in this phase of the event loop; its answer comes later.
    await new Promise((resolve) => setImmediate(resolve));
    const [before, refused, after] = await Promise.allSettled([
      first,
      units.add({ name: 'deep', deep } as Item),
      units.add({ name: 'after' }),
    ]);
    expect(refused).toMatchObject({ status: 'rejected', reason: { code: 'internal' } });
    expect([before, after]).toEqual([
      { status: 'fulfilled', value: 1 },
      { status: 'fulfilled', value: 2 },
    ]);
    expect(await units.names()).toEqual(['first', 'after']);
  });

  it('closes if the last call could not be sent', async () => {
    const { units, close } = await openTestStore(await place());
    const call = expect(units.add({ name: (() => 'code') as unknown as string })).rejects.toThrow();
    await close();
    await call;
  });

  it('tells nobody in a failed commit that it succeeded, and continues with the next', async () => {
    const { units } = await openTestStore(await place());
    const lost = await Promise.allSettled([
      units.add({ name: 'with it' }),
      units.addOrphan(),
      units.add({ name: 'with it, too' }),
    ]);
    expect(lost.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(await units.names()).toEqual([]);
    await units.add({ name: 'next' });
    expect(await units.names()).toEqual(['next']);
  });

  it('finishes what was requested before close, and refuses later requests with unavailable', async () => {
    const store = await openTestStore(await place());
    const asked = Array.from({ length: 100 }, (_, n) => store.units.add({ name: `${n}` }));
    const closed = store.close();
    expect(await Promise.all(asked)).toHaveLength(100);
    await closed;
    await expect(store.units.names()).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('knows when the last write was committed; a failed one does not count', async () => {
    const store = await openTestStore(await place());
    await store.units.addThenRefuse({ name: 'x' }).catch(() => undefined);
    expect(store.lastCommitAt).toBeNull();
    const before = Date.now();
    await store.units.add({ name: 'x' });
    expect(store.lastCommitAt).toBeGreaterThanOrEqual(before);
  });

  it('counts the turns in which something was committed, and their units', async () => {
    const store = await openTestStore(await place());
    await store.units.addThenRefuse({ name: 'x' }).catch(() => undefined);
    expect(store.committed).toEqual({ turns: 0, units: 0 });
    await Promise.all(['a', 'b', 'c'].map((name) => store.units.add({ name })));
    expect(store.committed).toEqual({ turns: 1, units: 3 });
  });
});

describe('both stores of the broker', () => {
  it.each(['main', 'activity'])('the %s store opens in memory and in a file', async (store) => {
    const threadModule = new URL('../store-thread.ts', import.meta.url);
    for (const [, place] of places) {
      const { units } = await openForTest<Record<string, unknown>>({
        store,
        file: await place(),
        threadModule,
      });
      expect(Object.keys(units)).toContain(store === 'main' ? 'acceptMessage' : 'applyOutbox');
    }
  });
});

describe('a store on disk', () => {
  it('keeps what was acknowledged when it is opened again', async () => {
    const file = join(await testFolder(), 'test.db');
    const first = await openTestStore(file);
    await first.units.add({ name: 'kept' });
    await first.close();
    expect(await (await openTestStore(file)).units.names()).toEqual(['kept']);
  });

  it('is durable when it answers: FULL sync, fullfsync, and a write-ahead log on every writer', async () => {
    const { units } = await openTestStore(join(await testFolder(), 'test.db'));
    const value = (name: string) => units.writerPragma({ name });
    expect(await value('synchronous')).toBe(2);
    expect(await value('fullfsync')).toBe(1);
    expect(await value('checkpoint_fullfsync')).toBe(1);
    expect(await value('journal_mode')).toBe('wal');
    expect(await value('foreign_keys')).toBe(1);
    expect(await units.readerPragma({ name: 'foreign_keys' })).toBe(1);
  });

  it('answers 503 to readers if its reader cannot start, logs why, and releases the file', async () => {
    const file = join(await testFolder(), 'test.db');
    const { log, lines } = keptLog();
    const store = await openStore<TestUnits>({
      store: 'readerless',
      file,
      threadModule: testThread,
      log,
    });
    for (const _ of [1, 2]) await expect(store.units.names()).rejects.toMatchObject({ code: 'unavailable' });
    expect(JSON.stringify(lines())).toContain('no such table');
    await store.units.add({ name: 'written all the same' });
    await store.close();
    const { units } = await openTestStore(file);
    expect(await units.names()).toEqual(['written all the same']);
  });
});
