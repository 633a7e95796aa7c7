import { randomInt } from 'node:crypto';
import { expect, it } from 'vitest';
import { createSeededRandom } from './seeded-random.ts';
import { proveTornLog } from './torn-log.ts';

it('a store whose long log was cut off anywhere opens with a complete prefix of the messages, in order of acceptance', async () => {
  const seed = randomInt(2 ** 32);
  console.log(`torn log: seed ${seed}`);
  await expect(proveTornLog(24, createSeededRandom(seed))).resolves.toBeUndefined();
});
