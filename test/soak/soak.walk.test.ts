import { expect, it } from 'vitest';
import { runSoak } from './soak-run.ts';
import { createTally } from './tally.ts';

it('forty members lose nothing and see nothing of others while the broker is killed and connections break', async () => {
  const tally = createTally();
  const rounds = 1;
  await runSoak(
    {
      seed: 1,
      wanted: ['kill', 'cut'],
      roundsPerDay: rounds,
      isEnough: (now) => now.rounds === rounds,
      say: () => undefined,
    },
    tally,
  );
  expect(tally).toMatchObject({ rounds, days: 1 });
});
