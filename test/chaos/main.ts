/** `npm run chaos`: exits with 1 if anything that was acknowledged is lost, twice, or missing in a stream. */
import { randomInt } from 'node:crypto';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { densityOf, faultsOf, isExact, sentenceOf } from './chaos-report.ts';
import { faultKinds, runChaos } from './chaos-run.ts';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string' },
    hours: { type: 'string' },
    every: { type: 'string', default: '10' },
    machines: { type: 'string', default: '3' },
    seed: { type: 'string', default: String(randomInt(2 ** 32)) },
    faults: { type: 'string', default: faultKinds.join(',') },
    help: { type: 'boolean', default: false },
  },
});

if (values.help) {
  console.log(`npm run chaos -- [--seconds <n>] [--hours <n> [--every <minutes>]] [--machines <n>] [--faults <kinds>] [--seed <n>]

Machines that stand by for each other, with a PostgreSQL of their own (15 or newer, from the PATH), while members post and listen.

  --seconds   how long there are faults at most (default: 120; with --hours, a day)
  --hours     as many faults as so many hours with one every --every minutes (default: 10) have, without the waits
              between them: each begins as soon as the team is answered after the one before
  --machines  two or more (default: 3)
  --faults    of: ${faultKinds.join(', ')} (default: all; disk needs root on Linux)
  --seed      repeats the faults of a run`);
  process.exit(0);
}

function numberOf(text: string, least: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= least) return value;
  throw new Error(`not a whole number of ${least} or more: ${text}`);
}

const kinds = values.faults.split(',').map((name) => {
  const kind = faultKinds.find((known) => known === name);
  if (kind === undefined) throw new Error(`--faults takes ${faultKinds.join(', ')}`);
  return kind;
});
const seed = numberOf(values.seed, 0);
console.log(`chaos: seed ${seed}`);
const hours = values.hours === undefined ? null : numberOf(values.hours, 1);
const everyMinutes = numberOf(values.every, 1);
const report = await runChaos({
  seconds: numberOf(values.seconds ?? (hours === null ? '120' : '86400'), 1),
  count: hours === null ? null : faultsOf(hours, everyMinutes),
  machines: numberOf(values.machines, 2),
  kinds,
  seed,
  say: (line) => console.log(`${new Date().toISOString()} ${line}`),
});
console.log(sentenceOf(report));
if (hours !== null) console.log(densityOf(report, hours, everyMinutes));
process.exitCode = isExact(report) ? 0 : 1;
