import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createByteBudget } from './byte-budget.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('a byte budget', () => {
  const options = { perMember: 10, all: 25, waitMs: 1000 };

  it('lets a member hold its share; more waits until some is given back', async () => {
    const budget = createByteBudget(options);
    const release = await budget.reserve('ada', 6);
    let isTaken = false;
    const second = budget.reserve('ada', 5).then(() => {
      isTaken = true;
    });
    await settle();
    expect(isTaken).toBe(false);
    release();
    release();
    await second;
    expect(isTaken).toBe(true);
  });

  it('does not let a member that has used up its share delay another', async () => {
    const budget = createByteBudget(options);
    await budget.reserve('ada', 10);
    void budget.reserve('ada', 10).catch(() => undefined);
    expect(await budget.reserve('ben', 10)).toBeTypeOf('function');
  });

  it('refuses with unavailable what did not fit in time, and then admits what waited behind it', async () => {
    const budget = createByteBudget(options);
    for (const member of ['ada', 'ben']) await budget.reserve(member, 10);
    const large = budget.reserve('cy', 10);
    const refused = expect(large).rejects.toMatchObject({ code: 'unavailable' });
    vi.advanceTimersByTime(500);
    const small = budget.reserve('dan', 5);
    vi.advanceTimersByTime(500);
    await refused;
    expect(await small).toBeTypeOf('function');
  });

  it('never lets more be held than either limit, and admits everything in the end', async () => {
    const call = fc.record({
      member: fc.constantFrom('ada', 'ben', 'cy', 'dan'),
      bytes: fc.integer({ min: 0, max: 10 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(call, { maxLength: 40 }),
        fc.infiniteStream(fc.nat()),
        async (calls, picks) => {
          const budget = createByteBudget(options);
          const held: { member: string; bytes: number; release: () => void }[] = [];
          let taken = 0;
          for (const { member, bytes } of calls) {
            void budget.reserve(member, bytes).then((release) => {
              taken += 1;
              held.push({ member, bytes, release });
            });
          }
          while (taken < calls.length || held.length > 0) {
            await settle();
            expect(held.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(25);
            for (const name of ['ada', 'ben', 'cy', 'dan'])
              expect(
                held.reduce((sum, { member, bytes }) => sum + (member === name ? bytes : 0), 0),
              ).toBeLessThanOrEqual(10);
            const [one] = held.splice((picks.next().value ?? 0) % Math.max(held.length, 1), 1);
            expect(one).toBeDefined();
            one?.release();
          }
        },
      ),
      { numRuns: 50 },
    );
  });
});
