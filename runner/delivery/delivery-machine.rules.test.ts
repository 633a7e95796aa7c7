import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createDeliveryWorld, messageCount } from './testing/delivery-world.ts';

/** Runs the choices, and then everything that is still to happen, without further faults. */
function livedThrough(choices: readonly number[]) {
  const world = createDeliveryWorld();
  for (const choice of choices) {
    const moves = world.moves();
    moves[choice % moves.length]?.();
  }
  world.settle();
  return world;
}

it('in every order of outcomes, replies, resets, wakes, and restarts, no message and no task is dropped', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(1000), { minLength: 5, maxLength: 80 }), (choices) => {
      const world = livedThrough(choices);
      expect(world.faults).toEqual([]);
      expect(world.summary()).toEqual({
        arrived: messageCount,
        isTaskOwed: false,
        isRefusing: false,
        isAttemptDue: false,
      });
    }),
    { numRuns: 10_000 },
  );
});

it('the orders reach failed turns, late replies, and restarts', () => {
  const seen = { failed: 0, late: 0, restarts: 0, continued: 0 };
  for (const choices of fc.sample(fc.array(fc.nat(1000), { minLength: 40, maxLength: 80 }), 200)) {
    const { counts } = livedThrough(choices);
    for (const key of Object.keys(seen) as (keyof typeof seen)[]) seen[key] += counts[key];
  }
  for (const count of Object.values(seen)) expect(count).toBeGreaterThan(20);
});
