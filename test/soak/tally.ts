/** The counts and measurements of a soak. */
import { percentile } from '../bench/http-load.ts';
import type { FaultKind } from './faults.ts';
import type { StormCounts } from './storm.ts';

/** One sample, taken when everybody has everything. */
export interface Sample {
  /** Of the process, in minutes since its start. */
  ageMinutes: number;
  bytes: number;
}

export interface Tally extends StormCounts {
  rounds: number;
  days: number;
  operations: Record<string, number>;
  /** Steps that were refused, as the model says. */
  refused: number;
  views: number;
  posts: number;
  faults: Partial<Record<FaultKind, number>>;
  byes: number;
  restores: number;
  simulatedMs: number;
  /** Of each process that ran, in order. */
  lives: Sample[][];
  /** The duration of each calm step, in ms: in rounds without and with the hostile member's attack. */
  calmMs: number[];
  besideMs: number[];
  descriptors: number | null;
  maxDescriptors: number | null;
}

export const createTally = (): Tally => ({
  rounds: 0,
  days: 0,
  operations: {},
  refused: 0,
  views: 0,
  posts: 0,
  faults: {},
  repeated: 0,
  unavailable: 0,
  givenUp: 0,
  broken: 0,
  byes: 0,
  restores: 0,
  simulatedMs: 0,
  lives: [],
  calmMs: [],
  besideMs: [],
  descriptors: null,
  maxDescriptors: null,
});

/** A process that is sampled for less time says nothing about growth. */
const minSpanMinutes = 2;

/** Returns bytes per minute by least squares; null if the samples span less than two minutes. */
export function slopeOf(samples: readonly Sample[]): number | null {
  const count = samples.length;
  if (spanOf(samples) < minSpanMinutes) return null;
  const mean = (of: (sample: Sample) => number): number =>
    samples.reduce((sum, sample) => sum + of(sample), 0) / count;
  const meanAge = mean(({ ageMinutes }) => ageMinutes);
  const meanBytes = mean(({ bytes }) => bytes);
  let covariance = 0;
  let variance = 0;
  for (const { ageMinutes, bytes } of samples) {
    covariance += (ageMinutes - meanAge) * (bytes - meanBytes);
    variance += (ageMinutes - meanAge) ** 2;
  }
  return covariance / variance;
}

/** Minutes from the first sample to the last one. */
const spanOf = (samples: readonly Sample[]): number =>
  (samples.at(-1)?.ageMinutes ?? 0) - (samples[0]?.ageMinutes ?? 0);

/** The second half of the life that was sampled most often: a young process still grows into its caches. */
export function longestLife(lives: readonly (readonly Sample[])[]): readonly Sample[] {
  const longest = lives.reduce<readonly Sample[]>(
    (best, life) => (life.length > best.length ? life : best),
    [],
  );
  return longest.slice(Math.floor(longest.length / 2));
}

const p99Of = (times: readonly number[]): number =>
  percentile(
    times.toSorted((a, b) => a - b),
    0.99,
  );

function besideText({ calmMs, besideMs }: Tally): string[] {
  if (calmMs.length === 0 || besideMs.length === 0) return [];
  const [calm, beside] = [p99Of(calmMs), p99Of(besideMs)];
  return [
    `p99 of calm steps: ${calm.toFixed(1)} ms, beside the hostile member ${beside.toFixed(1)} ms, ${(beside / calm).toFixed(1)} times as long`,
  ];
}

const inMiB = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(1)} MiB`;
const counted = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .map(([kind, count]) => `${kind} ${count}`)
    .join(', ');

/** A few lines for a person. */
export function reportOf(tally: Tally): string {
  const { operations, faults, lives } = tally;
  const total = Object.values(operations).reduce((sum, count) => sum + count, 0);
  const life = longestLife(lives);
  const slope = slopeOf(life);
  const [first, last] = [life[0], life.at(-1)];
  const rss =
    first === undefined || last === undefined
      ? 'not sampled'
      : `${inMiB(first.bytes)} to ${inMiB(last.bytes)} in ${spanOf(life).toFixed(1)} minutes of one process`;
  const growth = slope === null ? 'too short for a slope' : `slope ${inMiB(slope)} per minute`;
  return [
    `${tally.rounds} rounds of ${tally.days} days, ${(tally.simulatedMs / 3_600_000).toFixed(1)} simulated hours`,
    `operations: ${total} (${counted(operations)}); ${tally.refused} refused as expected, ${tally.repeated} repeated, ${tally.unavailable} answered 503, ${tally.givenUp} of them given up, ${tally.broken} connections lost without a kill`,
    `faults: ${counted(faults)}; ${tally.byes} times bye, ${tally.restores} restored backups`,
    `compared: ${tally.views} views, ${tally.posts} messages`,
    `RSS: ${rss} (${life.length} samples after warm-up, ${growth})`,
    ...besideText(tally),
    `descriptors: ${tally.descriptors ?? 'unknown'}, at most ${tally.maxDescriptors ?? 'unknown'}`,
  ].join('\n  ');
}
