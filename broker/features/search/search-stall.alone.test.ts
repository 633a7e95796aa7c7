/** One member searches as much as it can in long texts of its own; another one reads (ADR 0063). */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestBroker, type TestBroker } from '../../testing/test-broker.ts';

const words = {
  'a common word': ['tide', 'tide'],
  'a long phrase of one word': ['tide', `"${Array.from({ length: 39 }, () => 'tide').join(' ')}"`],
  'a long phrase without spaces': ['部', '部'.repeat(99)],
} as const;
const readings = 400;
/** It was 27 and more when all reads shared one thread. */
const maxRatio = 6;

let team: TestBroker;
beforeAll(async () => {
  team = await startTestBroker({ onDisk: true, members: { ada: ['admin'], ben: [], mal: [] } });
  await team.as('ben').call('push', { body: { to: 'ada', body: 'hello' } });
  for (const [word] of Object.values(words))
    for (let n = 0; n < 100; n++)
      await team.as('mal').call('push', {
        body: { to: 'ben', body: `${word} `.repeat(Math.floor(64_000 / Buffer.byteLength(`${word} `))) },
      });
  // A search waits for the index.
  await team.as('mal').call('search', { query: { q: 'tide' } });
});
afterAll(() => team.stop());

async function medianReading(isEnough = () => true): Promise<number> {
  const times: number[] = [];
  while (times.length < readings || !isEnough()) {
    const begunAt = performance.now();
    await team.as('ben').call('history', { query: { with: 'ada' } });
    times.push(performance.now() - begunAt);
  }
  return times.sort((one, other) => one - other)[Math.floor(times.length / 2)] ?? 0;
}

it.each(Object.entries(words))('searches for %s do not hold up what others read', async (_, [, q]) => {
  await medianReading();
  const idle = await medianReading();
  let isOver = false;
  let searches = 0;
  const searching = Array.from({ length: 8 }, async () => {
    while (!isOver) {
      await team.as('mal').call('search', { query: { q } });
      searches += 1;
    }
  });
  const busy = await medianReading(() => searches >= 16);
  isOver = true;
  await Promise.all(searching);
  expect(busy / idle).toBeLessThan(maxRatio);
});
