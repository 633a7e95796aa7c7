import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createStoreGrowth, growthLimits } from './store-growth.ts';

const { burstBytes, bytesPerSecond } = growthLimits.main;
const setUp = (file: string | null) => {
  let now = 1_000_000;
  const growth = createStoreGrowth({
    files: { main: file, activity: file },
    clock: () => now,
    log: { warn: () => undefined, info: () => undefined },
  });
  return { growth, pass: (ms: number) => (now += ms) };
};

it('admits so much of one member at once, then so much in a second, and says when to try again', () => {
  const { growth, pass } = setUp(null);
  growth.admit('main', 'mal', burstBytes);
  expect(() => growth.admit('main', 'mal', bytesPerSecond * 3)).toThrow(
    expect.objectContaining({ reason: 'too_many_bytes', retryAfter: 3 }),
  );
  // Others, and the other store, are not affected.
  growth.admit('main', 'ben', burstBytes);
  growth.admit('activity', 'mal', burstBytes);
  pass(3000);
  growth.admit('main', 'mal', bytesPerSecond * 3);
  expect(() => growth.admit('main', 'mal', 1)).toThrow(expect.objectContaining({ retryAfter: 1 }));
});

it('admits one large body of a member that has spent nothing', () => {
  const { growth } = setUp(null);
  growth.admit('main', 'mal', burstBytes * 2);
});

it('looks at the disks, of which none is low here', async () => {
  const { growth } = setUp(join(tmpdir(), 'main.db'));
  await growth.look();
  expect(growth.low).toEqual([]);
  growth.admit('main', 'mal', 1);
});
