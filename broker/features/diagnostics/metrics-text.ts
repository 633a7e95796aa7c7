/**
 * The broker's health in the text format of Prometheus (specification/diagnostics.md#metrics). It has no names of
 * members, and a bounded number of lines.
 */
import type { Diagnostics } from '#protocol/diagnostics.ts';
import type { OperationDurations } from '../../runtime/operation-timings.ts';

export interface StoreCommits {
  name: string;
  /** Turns of the writer that wrote something. */
  turns: number;
  /** Units of work in these turns. */
  units: number;
}

export interface MetricsFacts {
  diagnostics: Diagnostics;
  durations: readonly OperationDurations[];
  commits: readonly StoreCommits[];
  /** Attempts to deliver push messages to browsers, by how they ended. */
  pushResults: Readonly<Record<string, number>>;
  /** Ms since the lease of the active broker was confirmed; null if no other machine stands by. */
  leaseAge: number | null;
}

type Labels = Readonly<Record<string, string>>;
interface Sample {
  suffix?: string;
  labels?: Labels;
  value: number;
}

const escaped = (text: string): string =>
  text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');

function line(name: string, { suffix = '', labels = {}, value }: Sample): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
  return `${name}${suffix}${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${value}`;
}

function family(
  name: string,
  type: 'counter' | 'gauge' | 'histogram',
  help: string,
  samples: readonly Sample[],
): string[] {
  if (samples.length === 0) return [];
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...samples.map((sample) => line(name, sample))];
}

const seconds = (ms: number): number => ms / 1000;

function durationSamples({ operation, count, sumMs, upTo }: OperationDurations): Sample[] {
  const labels = { operation };
  return [
    ...upTo.map((bucket) => ({
      suffix: '_bucket',
      labels: { ...labels, le: String(seconds(bucket.ms)) },
      value: bucket.count,
    })),
    { suffix: '_bucket', labels: { ...labels, le: '+Inf' }, value: count },
    { suffix: '_sum', labels, value: seconds(sumMs) },
    { suffix: '_count', labels, value: count },
  ];
}

const phaseSamples = ({ operation, phaseMs }: OperationDurations): Sample[] =>
  Object.entries(phaseMs).map(([phase, ms]) => ({ labels: { operation, phase }, value: seconds(ms) }));

export function metricsText({
  diagnostics,
  durations,
  commits,
  pushResults,
  leaseAge,
}: MetricsFacts): string {
  const { version, uptime, streams, waitingBytes, memoryBytes, eventLoopDelay, stores } = diagnostics;
  const perStore = (of: (store: (typeof stores)[number]) => number): Sample[] =>
    stores.map((store) => ({ labels: { store: store.name }, value: of(store) }));
  const perCommit = (of: (one: StoreCommits) => number): Sample[] =>
    commits.map((one) => ({ labels: { store: one.name }, value: of(one) }));
  const lines = [
    ...family('muster_info', 'gauge', 'The version of the broker.', [{ labels: { version }, value: 1 }]),
    ...family('muster_uptime_seconds', 'gauge', 'Time since the start.', [{ value: seconds(uptime) }]),
    ...family(
      'muster_lease_age_seconds',
      'gauge',
      'Time since the lease of the active broker was confirmed.',
      leaseAge === null ? [] : [{ value: seconds(leaseAge) }],
    ),
    ...family('muster_memory_bytes', 'gauge', 'Resident memory of the process.', [{ value: memoryBytes }]),
    ...family(
      'muster_event_loop_delay_seconds',
      'gauge',
      'Delay of the serving thread since the last minute began.',
      [
        { labels: { quantile: '0.5' }, value: seconds(eventLoopDelay.p50) },
        { labels: { quantile: '0.99' }, value: seconds(eventLoopDelay.p99) },
        { labels: { quantile: '1' }, value: seconds(eventLoopDelay.max) },
      ],
    ),
    ...family('muster_streams', 'gauge', 'Open live streams.', [
      { labels: { kind: 'messages' }, value: streams.messages },
      { labels: { kind: 'activity' }, value: streams.activity },
    ]),
    ...family('muster_stream_waiting_bytes', 'gauge', 'Bytes that live streams have not taken yet.', [
      { value: waitingBytes.total },
    ]),
    ...family('muster_stream_waiting_bytes_most', 'gauge', 'The same, of the slowest stream.', [
      { value: waitingBytes.most },
    ]),
    ...family(
      'muster_store_bytes',
      'gauge',
      'Size of a store with its log; 0 in memory.',
      perStore(({ bytes }) => bytes),
    ),
    ...family(
      'muster_store_queue',
      'gauge',
      'Units of work that wait for an answer.',
      perStore(({ queued }) => queued),
    ),
    ...family(
      'muster_store_commits_total',
      'counter',
      'Transactions of the writer thread.',
      perCommit(({ turns }) => turns),
    ),
    ...family(
      'muster_store_commit_units_total',
      'counter',
      'Units of work in these transactions.',
      perCommit(({ units }) => units),
    ),
    ...family(
      'muster_push_results_total',
      'counter',
      'Attempts to deliver push messages to browsers.',
      Object.entries(pushResults).map(([result, value]) => ({ labels: { result }, value })),
    ),
    ...family(
      'muster_operation_duration_seconds',
      'histogram',
      'Duration of requests that passed authentication, refused ones included.',
      durations.flatMap(durationSamples),
    ),
    ...family(
      'muster_operation_phase_seconds_total',
      'counter',
      'The same time by the part of the request in which it passed.',
      durations.flatMap(phaseSamples),
    ),
  ];
  return `${lines.join('\n')}\n`;
}
