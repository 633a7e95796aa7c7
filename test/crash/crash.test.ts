import { randomInt } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { runCrashRounds } from './crash-rounds.ts';

/** CRASH_ROUNDS is 12 by default and 200 for the full run. CRASH_SEED repeats a run's random choices. */
const rounds = Number(process.env.CRASH_ROUNDS ?? 12);
const seed = Number(process.env.CRASH_SEED ?? randomInt(2 ** 32));

describe('a broker that is killed with -9 again and again', () => {
  it('keeps every acknowledged message once, for those who may read it, in history and in resumed streams', {
    // Prevents an endless wait on a busy machine.
    timeout: 120_000 + rounds * 30_000,
  }, async () => {
    console.log(`crash: CRASH_ROUNDS=${rounds} CRASH_SEED=${seed}`);
    const result = await runCrashRounds(rounds, seed);
    console.log(`crash: ${JSON.stringify(result)}`);
    expect(result.acknowledged).toBeGreaterThan(rounds);
  });
});
