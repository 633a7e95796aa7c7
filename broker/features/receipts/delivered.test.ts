import { describe, expect, it, onTestFinished } from 'vitest';
import type { Carried as CarriedByStream } from '../../http/live-stream.ts';
import { openForTest } from '../../storage/testing/test-store.ts';
import { createDelivered } from './delivered.service.ts';
import type { Carried } from './delivered-news.rules.ts';
import type { ReceiptUnits } from './receipts.sqlite.ts';

const threadModule = new URL('../../store-thread.ts', import.meta.url);

/** On a real store. */
async function deliveredOf() {
  const { units } = await openForTest<ReceiptUnits>({ store: 'main', file: ':memory:', threadModule });
  const slices: Carried[][] = [];
  const told: (readonly Carried[])[] = [];
  const errors: unknown[] = [];
  let carried: CarriedByStream[] = [];
  let isDown = false;
  let held: Promise<void> = Promise.resolve();
  const delivered = createDelivered({
    units: {
      async keepDelivered(ranges) {
        slices.push([...ranges]);
        await held;
        if (isDown) throw new Error('the disk is full');
        return units.keepDelivered(ranges);
      },
    },
    streams: {
      drainCarried() {
        const drained = carried;
        carried = [];
        return drained;
      },
    },
    onDelivered: (fresh) => void told.push(fresh),
    onWriteDeferred: (error) => void errors.push(error),
  });
  onTestFinished(() => delivered.stop());
  return {
    ...{ delivered, slices, told, errors },
    carry: (members: readonly string[], from: number, to: number) => {
      carried.push(...members.map((key) => ({ key, from, to })));
    },
    fail: (is: boolean) => {
      isDown = is;
    },
    /** Writes wait until the returned function is called. */
    hold(): () => void {
      const { promise, resolve } = Promise.withResolvers<void>();
      held = promise;
      return resolve;
    },
    /** The parts of a range that are not stored yet, which are stored thereby. */
    missing: (member: string, from: number, to: number) => units.keepDelivered([{ member, from, to }]),
  };
}

const names = (count: number) => Array.from({ length: count }, (_, n) => `m${String(n).padStart(5, '0')}`);

describe('what streams carried', () => {
  it('is written in slices that are bounded, and told at once', async () => {
    const { delivered, slices, told, carry, missing } = await deliveredOf();
    const members = names(1000);
    carry(members.toReversed(), 0, 3);
    await delivered.flush();
    expect(slices.flat().map(({ member }) => member)).toEqual(members);
    expect(Math.max(...slices.map(({ length }) => length))).toBe(250);
    expect(told.map(({ length }) => length)).toEqual([1000]);
    expect(await missing('m00999', 0, 4)).toEqual([{ member: 'm00999', from: 3, to: 4 }]);
  });

  it('is joined while the store is slow, whatever is carried in the meantime', async () => {
    const { delivered, slices, told, carry, hold } = await deliveredOf();
    const go = hold();
    carry(['ben'], 0, 1);
    const flushes = [delivered.flush()];
    await expect.poll(() => slices).toHaveLength(1);
    for (let at = 1; at < 50; at++) {
      carry(['ben'], at, at + 1);
      flushes.push(delivered.flush());
    }
    // A stream without a cursor skipped a position.
    carry(['ben'], 51, 52);
    flushes.push(delivered.flush());
    go();
    await Promise.all(flushes);
    expect(slices.flat()).toHaveLength(3);
    expect(told.flat()).toEqual([
      { member: 'ben', from: 0, to: 1 },
      { member: 'ben', from: 1, to: 50 },
      { member: 'ben', from: 51, to: 52 },
    ]);
  });

  it('is written by an orderly stop, also what was carried during a write', async () => {
    const { delivered, slices, carry, hold, missing } = await deliveredOf();
    const go = hold();
    carry(['ben'], 0, 1);
    void delivered.flush();
    await expect.poll(() => slices).toHaveLength(1);
    carry(['ben', 'cy'], 1, 2);
    const stopped = delivered.stop();
    go();
    await stopped;
    expect(await missing('ben', 0, 2)).toEqual([]);
    expect(await missing('cy', 1, 2)).toEqual([]);
  });

  it('is not claimed if it could not be written, and the next write goes on', async () => {
    const { delivered, told, errors, carry, fail, missing } = await deliveredOf();
    fail(true);
    carry(['ben'], 0, 1);
    await delivered.flush();
    expect(errors).toEqual([new Error('the disk is full')]);
    fail(false);
    carry(['ben'], 1, 2);
    await delivered.flush();
    expect(told).toEqual([[{ member: 'ben', from: 1, to: 2 }]]);
    expect(await missing('ben', 0, 2)).toEqual([{ member: 'ben', from: 0, to: 1 }]);
  });
});

describe('a range that is stored', () => {
  it('is extended by what follows it, and told only as far as it is new', async () => {
    const { delivered, told, carry } = await deliveredOf();
    for (const [from, to] of [
      [0, 5],
      [3, 8],
      [2, 6],
      [20, 21],
      [7, 20],
    ] as const) {
      carry(['ben'], from, to);
      await delivered.flush();
    }
    expect(told.flat().map(({ from, to }) => [from, to])).toEqual([
      [0, 5],
      [5, 8],
      [20, 21],
      [8, 20],
    ]);
  });
});
