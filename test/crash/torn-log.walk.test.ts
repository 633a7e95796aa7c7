import { expect, it } from 'vitest';
import { createSeededRandom } from './seeded-random.ts';
import { proveTornLog } from './torn-log.ts';

it('a store whose log was cut off by a power failure opens with a complete prefix of the messages, in order of acceptance', async () => {
  await expect(proveTornLog(12, createSeededRandom(1), 5)).resolves.toBeUndefined();
});
