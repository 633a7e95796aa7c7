import { describe, expect, it } from 'vitest';
import type { Bundle } from '../agents/agent.ts';
import { createMessageWaits } from './message-waits.ts';

const bundle = (id: string): Bundle => ({ messageIds: [id], text: `text of ${id}` });
const { signal } = new AbortController();

function setUp() {
  const waiting: Bundle[] = [];
  const putBack: string[] = [];
  const state = { isComing: false };
  const waits = createMessageWaits(
    () => ({
      claimBundle: async () => waiting.shift() ?? null,
      putBack: (ids) => void putBack.push(...ids),
    }),
    () => state.isComing,
    100,
  );
  return { waiting, putBack, waits, state };
}

describe('a call that waits for messages', () => {
  it('gets at once what waits', async () => {
    const { waiting, waits } = setUp();
    waiting.push(bundle('a'));
    expect(await waits.next(60_000, signal)).toEqual(bundle('a'));
  });

  it('gets what arrives, and what is on its way to the model', async () => {
    const { waiting, waits } = setUp();
    const first = waits.next(60_000, signal);
    const second = waits.next(60_000, signal);
    expect(waits.take(bundle('a'))).toBe(true);
    expect(await first).toEqual(bundle('a'));
    waiting.push(bundle('b'));
    waits.arrived();
    expect(await second).toEqual(bundle('b'));
    expect(waits.take(bundle('c'))).toBe(false);
  });

  it('leaves to the agent what its result would cut, except one message that is too long by itself', async () => {
    const { waits } = setUp();
    const call = waits.next(60_000, signal);
    expect(waits.take({ messageIds: ['a', 'b'], text: 'x'.repeat(101) })).toBe(false);
    const long = { messageIds: ['c'], text: 'x'.repeat(101) };
    expect(waits.take(long)).toBe(true);
    expect(await call).toEqual(long);
  });

  it('does not keep the agent from a message that it already has', async () => {
    const { waits, state } = setUp();
    state.isComing = true;
    expect(await waits.next(60_000, signal)).toBe('coming');
  });

  it('gets nothing after its time, or once nobody waits for it', async () => {
    const { waits } = setUp();
    expect(await waits.next(1, signal)).toBeNull();
    const end = new AbortController();
    const call = waits.next(60_000, end.signal);
    end.abort();
    expect(await call).toBeNull();
    expect(waits.take(bundle('a'))).toBe(false);
  });

  it('that ended while messages were claimed for it leaves them waiting', async () => {
    const { waiting, putBack, waits } = setUp();
    waiting.push(bundle('a'));
    const end = new AbortController();
    const call = waits.next(60_000, end.signal);
    end.abort();
    expect(await call).toBeNull();
    await expect.poll(() => putBack).toEqual(['a']);
  });
});
