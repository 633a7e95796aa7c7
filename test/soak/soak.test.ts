import { describe, expect, it } from 'vitest';
import { faultKinds } from './faults.ts';
import { runSoak } from './soak-run.ts';
import { createTally, reportOf } from './tally.ts';

/** SOAK_SEED makes other choices. `npm run soak` runs longer. */
const seed = Number(process.env.SOAK_SEED ?? 18);
/** Each kind of fault has its turn three times. */
const rounds = 3 * faultKinds.length;

describe('a day of forty members with kills, a full disk, clock jumps, and slow readers', () => {
  it('loses nothing, repeats nothing, shows nothing to the wrong member, and answers everything', {
    // Prevents an endless wait on a busy machine.
    timeout: 1_800_000,
  }, async () => {
    const tally = createTally();
    await runSoak(
      {
        seed,
        wanted: faultKinds,
        roundsPerDay: rounds,
        isEnough: (now) => now.rounds === rounds,
        say: console.log,
      },
      tally,
    );
    console.log(`soak: SOAK_SEED=${seed}\n  ${reportOf(tally)}`);
    expect(tally).toMatchObject({ rounds, days: 1, restores: tally.faults.backup });
    for (const kind of ['kill', 'suspend', 'clock', 'slow', 'cut', 'backup'] as const)
      expect(tally.faults[kind], kind).toBeGreaterThanOrEqual(3);
  });
});
