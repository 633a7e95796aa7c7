import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createIdleWaker, type IdleWaker } from './idle-waker.ts';

const quietMs = 30_000;
let hasWaiting: boolean;
let isExchanging: boolean;
let waker: IdleWaker;
const here = new AbortController().signal;

beforeEach(() => {
  vi.useFakeTimers();
  hasWaiting = false;
  isExchanging = false;
  waker = createIdleWaker({
    hasWaiting: () => hasWaiting,
    isExchanging: () => isExchanging,
    quietMs,
  });
});
afterEach(() => {
  waker.close();
  vi.useRealTimers();
});

function arrive(): void {
  hasWaiting = true;
  waker.look();
}

/** Returns how the wait ended so far. */
function watch(gone: AbortSignal = here): () => boolean | 'waits' {
  let end: boolean | 'waits' = 'waits';
  void waker.wait(gone).then((wakes) => {
    end = wakes;
  });
  return () => end;
}
const settle = () => vi.advanceTimersByTimeAsync(0);

describe('the hook that stays', () => {
  it('wakes an idle agent when a message arrives, and at once if one waits already', async () => {
    const first = watch();
    await settle();
    expect(first()).toBe('waits');
    arrive();
    await settle();
    expect(first()).toBe(true);
    waker.sawHook(false);
    const second = watch();
    await settle();
    expect(second()).toBe(true);
  });

  it('does not wake in the middle of a turn, and does so when the turn ends with messages that wait', async () => {
    const end = watch();
    waker.sawHook(true);
    arrive();
    await settle();
    expect(end()).toBe('waits');
    waker.sawHook(false);
    await settle();
    expect(end()).toBe(true);
  });

  it('wakes once: the turn that begins asks for the messages', async () => {
    watch();
    arrive();
    const next = watch();
    arrive();
    await settle();
    expect(next()).toBe('waits');
  });

  it('gives way to the next one, which takes its place', async () => {
    const old = watch();
    const next = watch();
    await settle();
    expect(old()).toBe(false);
    arrive();
    await settle();
    expect(next()).toBe(true);
  });

  it('is forgotten when its process is gone, and at the end of the run', async () => {
    const gone = new AbortController();
    const first = watch(gone.signal);
    gone.abort();
    await settle();
    expect(first()).toBe(false);
    expect(await waker.wait(gone.signal)).toBe(false);
    const second = watch();
    waker.close();
    await settle();
    expect(second()).toBe(false);
  });

  it('wakes after a turn that gave no sign of life, as after one that its person interrupted', async () => {
    const end = watch();
    waker.sawHook(true);
    arrive();
    await vi.advanceTimersByTimeAsync(quietMs - 1);
    waker.sawHook(true);
    isExchanging = true;
    await vi.advanceTimersByTimeAsync(2 * quietMs);
    expect(end()).toBe('waits');
    isExchanging = false;
    await vi.advanceTimersByTimeAsync(quietMs);
    expect(end()).toBe(true);
  });
});
