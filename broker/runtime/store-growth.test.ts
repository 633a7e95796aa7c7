import { EventEmitter } from 'node:events';
import { statfs } from 'node:fs/promises';
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

it('counts uploads that are not answered as taken, also those that waited for the same look at the disk', async () => {
  const { growth } = setUp(join(tmpdir(), 'main.db'));
  await growth.look();
  const { bavail, bsize } = await statfs(tmpdir());
  // A byte is written three times, so three of these fit, and not four.
  const bytes = Math.floor((bavail * bsize) / 3 / 3.9);
  const answers = Array.from({ length: 4 }, () => new EventEmitter());
  const admitted = answers.map((answer, n) =>
    Promise.resolve().then(() => growth.admit('activity', `member ${n}`, bytes, answer)),
  );
  const outcomes = await Promise.allSettled(admitted);
  expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(1);
  await growth.look();
  const again = () =>
    Promise.resolve().then(() => growth.admit('activity', 'another', bytes, new EventEmitter()));
  await expect(again()).rejects.toMatchObject({ reason: 'disk_nearly_full' });
  for (const answer of answers) answer.emit('close');
  await again();
});
