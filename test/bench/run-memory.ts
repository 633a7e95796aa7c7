/**
 * `node bin/on-node.js test/bench/run-memory.ts [per second] [seconds]`: prints the memory (PSS) of a runner and its
 * bridge, at rest and at most while requests and answers of 1 MB pass through the gateway. Linux only.
 */
import process from 'node:process';
import { longAnswer } from '../runner/testing/long-bodies.ts';
import { measuredPeak, startMeasuredRun } from '../runner/testing/measured-run.ts';

const [perSecond = 12, seconds = 20] = process.argv.slice(2).map(Number);
await using run = await startMeasuredRun(longAnswer(1_000_000));
const { atRest, underLoad, answers, medianMs } = await measuredPeak(run, {
  perSecond,
  seconds,
  bytes: 1_000_000,
});
console.log(`at rest     ${atRest.toFixed(0)} MiB`);
console.log(
  `under load  ${underLoad.toFixed(0)} MiB at most, ${answers} answers, ${medianMs.toFixed(0)} ms each (median)`,
);
