/**
 * `npm run soak`: forty members, and faults, until the time is over or the rounds are done; what everybody
 * holds is compared with a model after each round. Exits with 1 and says what is wrong at the first fault.
 */
import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { faultKinds, isFaultKind } from './faults.ts';
import { runSoak } from './soak-run.ts';
import { createTally, reportOf } from './tally.ts';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string' },
    rounds: { type: 'string' },
    seed: { type: 'string', default: String(randomInt(2 ** 32)) },
    faults: { type: 'string', default: faultKinds.join(',') },
    hostile: { type: 'boolean', default: false },
    'rounds-per-day': { type: 'string', default: '48' },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) {
  console.log(`npm run soak -- [--minutes <n>] [--rounds <n>] [--seed <n>] [--faults <kinds>] [--hostile] [--rounds-per-day <n>]

  --minutes         ends after so many minutes (default: 10, without --rounds)
  --rounds          ends after so many rounds
  --seed            repeats the faults of a run, and its steps as far as possible
  --faults          of: ${faultKinds.join(', ')}; or none (default: all)
  --hostile         one more member attacks in every second round, and the times of the others are compared
  --rounds-per-day  half hours until a new store begins (default: 48)`);
  process.exit(0);
}

const numberOf = (text: string): number => {
  const value = Number(text);
  if (Number.isFinite(value) && value >= 0) return value;
  throw new Error(`not a number: ${text}`);
};
const rounds = values.rounds === undefined ? Number.POSITIVE_INFINITY : numberOf(values.rounds);
const defaultMinutes = values.rounds === undefined ? 10 : Number.POSITIVE_INFINITY;
const minutes = values.minutes === undefined ? defaultMinutes : numberOf(values.minutes);
const seed = numberOf(values.seed);
const kinds = values.faults === 'none' ? [] : values.faults.split(',');
const wanted = kinds.filter(isFaultKind);
if (wanted.length < kinds.length) throw new Error(`--faults takes ${faultKinds.join(', ')}, or none`);

let isInterrupted = false;
// The round ends, and everything is compared; a second signal ends at once.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    isInterrupted = true;
  });
const startedAt = Date.now();
let saidAt = startedAt;
const tally = createTally();
console.log(`soak: seed ${seed}`);
try {
  await runSoak(
    {
      seed,
      wanted,
      hasHostile: values.hostile,
      roundsPerDay: numberOf(values['rounds-per-day']),
      isEnough: (now) => isInterrupted || now.rounds >= rounds || Date.now() - startedAt >= minutes * 60_000,
      onRound(now) {
        if (Date.now() - saidAt < 60_000) return;
        saidAt = Date.now();
        console.log(`after ${Math.round((saidAt - startedAt) / 60_000)} minutes: ${reportOf(now)}`);
      },
      say: console.log,
    },
    tally,
  );
  console.log(
    `nothing was lost, repeated, shown to the wrong member, or left without an answer\n  ${reportOf(tally)}`,
  );
} catch (error) {
  console.error(`FAILED: ${(error as Error).message}`);
  console.log(reportOf(tally));
  process.exitCode = 1;
}
