import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { limits } from '#protocol/limits.ts';
import { openForTest, testFolder } from '../../storage/testing/test-store.ts';
import { messageRow } from '../../testing/message-row.ts';
import { type AnswerKey, createIdempotency, type KeyedRequest } from './idempotency.service.ts';
import type { IdempotencyUnits } from './idempotency.sqlite.ts';

/** Here, a key guards the acceptance of a message. */
interface GuardedUnits extends IdempotencyUnits {
  acceptMessage(input: object): Promise<{ seq: number } | { replay: string }>;
  historyPage(input: object): Promise<{ count: number }>;
}

const threadModule = new URL('../../store-thread.ts', import.meta.url);
const day = limits.idempotencyKey.keptMs;
const start = 1_800_000_000_000;

async function setUp(file = ':memory:') {
  const { units, close } = await openForTest<GuardedUnits>({ store: 'main', file, threadModule });
  const time = { now: start };
  const idempotency = createIdempotency({ units, clock: () => time.now });
  let performed = 0;

  /** Returns `accepted <seq>`, or whatever the first answer was. */
  async function accept(body: string, key: AnswerKey | null): Promise<string> {
    performed += 1;
    const message = messageRow({ id: `id ${performed} ${Math.random()}`, ts: performed, body });
    const accepted = await units.acceptMessage({
      message,
      author: { kind: 'person' },
      to: { kind: 'everyone', targets: 1 },
      answerKey: key,
    });
    if ('replay' in accepted) return accepted.replay;
    const reply = `accepted ${accepted.seq}`;
    if (key !== null) await idempotency.complete(key, reply);
    return reply;
  }
  const request = (over: Partial<KeyedRequest> = {}): KeyedRequest => ({
    member: 'ada',
    operation: 'push',
    key: 'k',
    body: { body: 'hello' },
    ...over,
  });
  const once = (over: Partial<KeyedRequest> = {}): Promise<string> =>
    idempotency.once(request(over), (key) => accept('hello', key));
  const stored = async (): Promise<number> =>
    (
      await units.historyPage({
        reader: { name: 'ada', isManager: false },
        scope: { kind: 'general' },
        key: 'general',
        before: Number.MAX_SAFE_INTEGER,
        beforeId: null,
        limit: 500,
        bytes: 65_536,
      })
    ).count;
  return { units, idempotency, time, once, request, accept, stored, close, performed: () => performed };
}

describe('a request with an Idempotency-Key', () => {
  it('is answered with the first answer and does nothing again within 24 hours', async () => {
    const { once, time, stored } = await setUp();
    expect(await once()).toBe('accepted 1');
    expect(await once()).toBe('accepted 1');
    time.now += day - 1;
    expect(await once()).toBe('accepted 1');
    expect(await stored()).toBe(1);
  });

  it('is a new request after 24 hours, and its answer is kept from then on', async () => {
    const { once, time, stored } = await setUp();
    await once();
    time.now += day;
    expect(await once()).toBe('accepted 2');
    expect(await once()).toBe('accepted 2');
    expect(await stored()).toBe(2);
  });

  it('is refused with conflict if the body is another one, and changes nothing', async () => {
    const { once, stored } = await setUp();
    await once();
    await expect(once({ body: { body: 'other' } })).rejects.toMatchObject({ code: 'conflict', status: 409 });
    expect(await once()).toBe('accepted 1');
    expect(await stored()).toBe(1);
  });

  it('is scoped to member and operation', async () => {
    const { once, stored } = await setUp();
    const answers = [
      await once(),
      await once({ member: 'ben' }),
      await once({ operation: 'discuss' }),
      await once({ key: 'K' }),
    ];
    expect(new Set(answers).size).toBe(4);
    expect(await stored()).toBe(4);
  });

  it('waits for the first one in flight: of many at once, one is performed, and all get its answer', async () => {
    const { once, stored } = await setUp();
    const answers = await Promise.all(Array.from({ length: 40 }, () => once()));
    expect(new Set(answers)).toEqual(new Set(['accepted 1']));
    expect(await stored()).toBe(1);
  });

  it('does not wait for others: another key proceeds while one is in flight', async () => {
    const { idempotency, once, request } = await setUp();
    let finish: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      finish = resolve;
    });
    const slow = idempotency.once(request(), () => held);
    expect(await once({ key: 'other' })).toBe('accepted 1');
    finish();
    await slow;
  });

  it('is performed by the one that waited if the first failed: only 2xx answers are kept', async () => {
    const { idempotency, once, request, stored } = await setUp();
    const failing = idempotency.once(request(), () => Promise.reject(new Error('refused')));
    const twin = once();
    await expect(failing).rejects.toThrow('refused');
    expect(await twin).toBe('accepted 1');
    expect(await stored()).toBe(1);
  });

  it('keeps the completed answer, in the file, across restarts', async () => {
    const file = join(await testFolder(), 'main.db');
    const first = await setUp(file);
    await first.once();
    await first.close();
    const again = await setUp(file);
    expect(await again.once()).toBe('accepted 1');
    expect(await again.stored()).toBe(1);
  });

  it('keeps the answer that was written with the change if it cannot be completed', async () => {
    const { units, once, stored } = await setUp();
    const complete = units.completeAnswer;
    units.completeAnswer = () => Promise.reject(new Error('the disk is full'));
    await once();
    units.completeAnswer = complete;
    const reply: unknown = JSON.parse(await once());
    expect(reply).toMatchObject({ delivery: { live: 0, targets: 1 }, message: { body: 'hello' } });
    expect(await stored()).toBe(1);
  });

  it.each([
    ['empty', ''],
    ['129 characters', 'k'.repeat(129)],
    ['a space', 'a b'],
    ['a control character', 'a\u0007'],
    ['beyond ASCII', 'schlüssel'],
  ])('is refused with bad_request if the key is %s', async (_, key) => {
    const { once, performed } = await setUp();
    await expect(once({ key })).rejects.toMatchObject({ code: 'bad_request' });
    expect(performed()).toBe(0);
  });

  it.each([['!'], ['~'], ['k'.repeat(128)]])('accepts the key %s', async (key) => {
    expect(await (await setUp()).once({ key })).toBe('accepted 1');
  });
});

describe('a request without a key', () => {
  it('is performed every time', async () => {
    const { idempotency, request, accept } = await setUp();
    const { key: _, ...unkeyed } = request();
    const twice = [1, 2].map(() =>
      idempotency.once({ ...unkeyed, key: undefined }, (key) => accept('hello', key)),
    );
    expect(await Promise.all(twice)).toEqual(['accepted 1', 'accepted 2']);
  });
});

describe('kept answers', () => {
  it('are deleted after 24 hours, not before', async () => {
    const { idempotency, once, time } = await setUp();
    await once({ key: 'old' });
    time.now += 1;
    await once({ key: 'young' });
    time.now = start + day;
    await idempotency.forgetOld();
    // With the clock set back, only what is still kept is answered again.
    time.now = start + 2;
    expect(await once({ key: 'young' })).toBe('accepted 2');
    expect(await once({ key: 'old' })).toBe('accepted 3');
  });
});
