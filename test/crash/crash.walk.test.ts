import { expect, it } from 'vitest';
import { runCrashRounds } from './crash-rounds.ts';

const rounds = 3;

it('a broker that is killed with -9 keeps every acknowledged message once, in history and in resumed streams', async () => {
  const { acknowledged } = await runCrashRounds(rounds, 1);
  expect(acknowledged).toBeGreaterThan(rounds);
});
