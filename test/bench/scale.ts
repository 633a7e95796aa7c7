/**
 * Times every read in a large store and in a tenth of it, over HTTP, and marks what grows. Both brokers run at
 * the same time and are asked in turns, so that what else the machine does meets both. Also shows what a flood of each
 * operation costs another member's reads.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reasonOf } from '#platform/error-text.ts';
import type { BenchOptions } from './bench-options.ts';
import { writeSection } from './benchmarks-document.ts';
import { type BesideBench, createBesideBench } from './beside.ts';
import { loadGenerator, type RequestsMeasured } from './measure-load.ts';
import { prepareStore, startOnStore } from './prepared-store.ts';
import { measured, type Server } from './processes.ts';
import { machine, median, table, watchMachineLoad } from './report.ts';
import { type Cost, type Growth, growthOf } from './scale.rules.ts';
import type { ScaleOperation } from './scale-operations.ts';
import { comparedStores, sizeText } from './store-sizes.ts';

/** The options of `--scale` (bench-options.ts). */
export type ScaleOptions = Extract<BenchOptions, { kind: 'scale' }>;

const rounds = 3;
const warmUpMs = 300;
/** Of one round. */
const shortestMs = 1000;
const longestMs = 20_000;

export async function runScale({
  whole,
  share,
  keep,
  operations,
  isEverything,
}: ScaleOptions): Promise<void> {
  const machineLoad = watchMachineLoad();
  const folder = keep ?? mkdtempSync(join(tmpdir(), 'muster-scale-'));
  const sizes = comparedStores(whole, share);
  console.error(`The whole: ${sizeText(sizes.all)}.\nThe tenth: ${sizeText(sizes.tenth)}.`);
  try {
    const tenth = await prepareStore(folder, sizes.tenth);
    const all = await prepareStore(folder, sizes.all);
    const rows: Row[] = [];
    let alone = Number.NaN;
    await measured(await startOnStore(tenth), async (small) =>
      measured(await startOnStore(all), async (large) => {
        const beside = createBesideBench(large);
        for (const operation of operations) rows.push(await rowOf(operation, { small, large, beside }));
        rows.push({ cells: ['a program beside the broker'], othersP99Ms: await beside.program() });
        alone = beside.alone();
      }),
    );
    const report = `The whole: ${sizeText(all.size)}.
The tenth: ${sizeText(tenth.size)}.
Measured on ${new Date().toISOString().slice(0, 10)}. Machine: ${machine()}. ${machineLoad()}
One connection, and the median of ${rounds} rounds in turns. The load came from ${loadGenerator()}.
"Others" is the 99th percentile of another member's pages of history in the whole store while one member floods the broker with the operation
through 16 connections: the median of five windows of one second, at 250 pages per second. The ratio is to the ${alone.toFixed(2)} ms that it takes alone (the
median of measurements just before each flood).

${table(
  head,
  rows.map((row) => cellsOf(row, alone)),
)}`;
    console.log(report);
    if (isEverything) writeSection('Growth', report);
  } finally {
    if (keep === null) rmSync(folder, { recursive: true });
  }
}

const head = [
  '',
  'CPU ms, tenth',
  'CPU ms, whole',
  'whole / tenth',
  'bytes, tenth',
  'bytes, whole',
  'p99 ms, whole',
  'grows',
  'others, p99 ms',
  'others, ratio',
];

/** The medians of all rounds of one operation in one store. */
interface Taken extends Cost {
  p50Ms: number;
  p99Ms: number;
}

interface Row {
  /** Up to the first column about others. */
  cells: string[];
  /** Null if it was not measured. */
  othersP99Ms: number | null;
}

function cellsOf({ cells, othersP99Ms }: Row, alone: number): string[] {
  const empty = Array.from({ length: head.length - 2 - cells.length }, () => '');
  const others = othersP99Ms === null ? ['', ''] : [othersP99Ms.toFixed(2), (othersP99Ms / alone).toFixed(1)];
  return [...cells, ...empty, ...others];
}

interface Measuring {
  small: Server;
  large: Server;
  beside: BesideBench;
}

async function rowOf({ title, measure, request }: ScaleOperation, bench: Measuring): Promise<Row> {
  console.error(title);
  const servers = [bench.small, bench.large];
  try {
    const results: [RequestsMeasured[], RequestsMeasured[]] = [[], []];
    const durationMs = Math.max(
      ...(await Promise.all(servers.map((server) => durationFor(server, measure)))),
    );
    for (let round = 0; round < rounds; round++)
      for (const [index, server] of servers.entries())
        results[index]?.push(await measure(server, { warmUpMs, durationMs }));
    const [tenth, whole] = results.map(takenOf) as [Taken, Taken];
    const othersP99Ms = request === null ? null : await bench.beside.flood(await request(bench.large));
    const cells = [
      title,
      tenth.cpuMs.toFixed(2),
      whole.cpuMs.toFixed(2),
      (whole.cpuMs / tenth.cpuMs).toFixed(1),
      bytesText(tenth),
      bytesText(whole),
      whole.p99Ms.toFixed(2),
      marks[growthOf(tenth, whole)],
    ];
    return { cells, othersP99Ms };
  } catch (error) {
    const cells = [title, '', '', '', '', '', '', `not measured: ${reasonOf(error)}`];
    return { cells, othersP99Ms: null };
  }
}

/** Long enough for some replies, however slow they are. */
async function durationFor(server: Server, measure: ScaleOperation['measure']): Promise<number> {
  const { p50Ms } = await measure(server, { warmUpMs: 0, durationMs: 1000 });
  return Math.min(Math.max(shortestMs, 20 * p50Ms), longestMs);
}

function takenOf(results: readonly RequestsMeasured[]): Taken {
  const of = (value: (one: RequestsMeasured) => number): number => median(results.map(value));
  return {
    p50Ms: of(({ p50Ms }) => p50Ms),
    p99Ms: of(({ p99Ms }) => p99Ms),
    cpuMs: 1000 / of(({ perCpuSecond }) => perCpuSecond),
    bytes: results[0]?.bytes ?? null,
  };
}

const bytesText = ({ bytes }: Cost): string =>
  bytes === null ? 'not counted' : Math.round(bytes).toLocaleString('en');

const marks: Record<Growth, string> = {
  none: '',
  'with the answer': 'with its answer',
  'beyond the answer': '**beyond its answer**',
};
