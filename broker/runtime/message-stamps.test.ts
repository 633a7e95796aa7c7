import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMessageStamps, type MessageStamp } from './message-stamps.ts';

const uuidV7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
const start = Date.UTC(2026, 0, 1);

/** The steps of a clock between two stamps: it stands still, ticks, jumps ahead, or is set back. */
const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.constant(0) },
    { weight: 3, arbitrary: fc.integer({ min: 1, max: 5 }) },
    { weight: 1, arbitrary: fc.integer({ min: -100_000_000, max: 100_000_000 }) },
  ),
  { maxLength: 300 },
);

const timeOf = ({ id }: MessageStamp): number => Number.parseInt(id.replace('-', '').slice(0, 12), 16);

function expectInOrder(stamps: readonly MessageStamp[]): void {
  for (const [index, stamp] of stamps.entries()) {
    expect(stamp.id).toMatch(uuidV7);
    expect(timeOf(stamp)).toBe(stamp.ts);
    const before = stamps[index - 1];
    if (before === undefined) continue;
    expect(stamp.id > before.id).toBe(true);
    expect(stamp.ts).toBeGreaterThanOrEqual(before.ts);
  }
}

describe('the stamps of accepted messages', () => {
  it('increase strictly in id, as UUIDv7 of their ts, and never decrease in ts, whatever the clock does', () => {
    fc.assert(
      fc.property(steps, (changes) => {
        let now = start;
        const next = createMessageStamps(() => now, 0);
        expectInOrder(
          changes.map((change) => {
            now += change;
            return next();
          }),
        );
      }),
    );
  });

  it('continue in order after restarts, also with a clock that was set back between them', () => {
    fc.assert(
      fc.property(fc.array(steps, { maxLength: 6 }), (lives) => {
        let now = start;
        const stamps: MessageStamp[] = [];
        for (const changes of lives) {
          const next = createMessageStamps(() => now, stamps.at(-1)?.ts ?? 0);
          for (const change of changes) {
            now += change;
            stamps.push(next());
          }
        }
        expectInOrder(stamps);
      }),
    );
  });

  it('carry the time of the clock while it advances', () => {
    let now = start;
    const next = createMessageStamps(() => now, 0);
    expect(next().ts).toBe(start);
    now += 7;
    expect(next().ts).toBe(start + 7);
  });

  it('borrow the next millisecond when one runs out of counter values', () => {
    const next = createMessageStamps(() => start, 0);
    const stamps = Array.from({ length: 3 * 4096 }, next);
    expectInOrder(stamps);
    expect(stamps.map(({ ts }) => ts - start)).toEqual(stamps.map((_, index) => Math.floor(index / 4096)));
  });
});
