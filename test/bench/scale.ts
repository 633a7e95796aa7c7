/**
 * Times every read in a large store and in a tenth of it, over HTTP, and marks what grows. Both brokers run at
 * the same time and are asked in turns, so that what else the machine does meets both.
 */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reasonOf } from '#platform/error-text.ts';
import { fillStores } from '../scale/fill-stores.ts';
import { memberNames, messageEveryMs, type TeamSize } from '../scale/team-shape.ts';
import { startBenchBroker } from './bench-broker.ts';
import { loadGenerator, type RequestsMeasured } from './measure-load.ts';
import { measured, type Server } from './processes.ts';
import { machine, median, table, watchMachineLoad } from './report.ts';
import { type Cost, type Growth, growthOf } from './scale.rules.ts';
import { type ScaleOperation, scaleOperations } from './scale-operations.ts';

export interface ScaleOptions {
  /** Of every size. */
  share: number;
  isFull: boolean;
  /** A folder for the stores, which are then kept; null for a temporary one. */
  keep: string | null;
  /** Measures only the operations with this text in their title. */
  only: string;
}

const usual: TeamSize = {
  messages: 1_000_000,
  body: 0,
  members: 500,
  channels: 200,
  objectives: 10_000,
  files: 20_000,
  activity: 100_000,
};
const full: TeamSize = {
  messages: 10_000_000,
  body: 0,
  members: 5000,
  channels: 2000,
  objectives: 100_000,
  files: 200_000,
  activity: 1_000_000,
};

/** The shape of the team needs a few of everything. */
const fewest: TeamSize = {
  messages: 1000,
  body: 0,
  members: 10,
  channels: 20,
  objectives: 100,
  files: 200,
  activity: 1000,
};

const rounds = 3;
const warmUpMs = 300;
/** Of one round. */
const shortestMs = 1000;
const longestMs = 20_000;
const minuteMs = 60_000;

function sizeOf(whole: TeamSize, share: number): TeamSize {
  const of = (name: keyof TeamSize): number => Math.max(fewest[name], Math.round(whole[name] * share));
  return {
    messages: of('messages'),
    body: 0,
    members: of('members'),
    channels: of('channels'),
    objectives: of('objectives'),
    files: of('files'),
    activity: of('activity'),
  };
}

export async function runScale({ share, isFull, keep, only }: ScaleOptions): Promise<void> {
  const machineLoad = watchMachineLoad();
  const folder = keep ?? mkdtempSync(join(tmpdir(), 'muster-scale-'));
  const whole = isFull ? full : usual;
  const operations = scaleOperations.filter(({ title }) => title.includes(only));
  try {
    const tenth = await prepared(folder, sizeOf(whole, share / 10));
    const all = await prepared(folder, sizeOf(whole, share));
    const rows: string[][] = [];
    await measured(await start(tenth), async (small) =>
      measured(await start(all), async (large) => {
        for (const operation of operations) rows.push(await rowOf(operation, small, large));
      }),
    );
    console.log(reportOf(tenth.size, all.size, rows, machineLoad()));
  } finally {
    if (keep === null) rmSync(folder, { recursive: true });
  }
}

interface PreparedStore {
  folder: string;
  size: TeamSize;
}

/** Fills the stores, unless an earlier run kept them. */
async function prepared(folder: string, size: TeamSize): Promise<PreparedStore> {
  const place = join(folder, Object.values(size).join('-'));
  const filled = join(place, 'filled');
  if (existsSync(filled)) return { folder: place, size };
  rmSync(place, { recursive: true, force: true });
  const startedAt = performance.now();
  const onPart = (part: string): void => {
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    console.error(`${size.messages.toLocaleString('en')} messages, ${seconds} s: ${part}`);
  };
  // Everything is in the past, and the newest is recent.
  const messages = (size.messages + 2 * size.objectives) * messageEveryMs;
  const start = Date.now() - Math.max(messages, size.activity * minuteMs) - minuteMs;
  await fillStores(place, size, { start, onPart });
  writeFileSync(filled, '');
  onPart('filled');
  return { folder: place, size };
}

const start = ({ folder, size }: PreparedStore): Promise<Server> =>
  startBenchBroker(folder, memberNames(size).slice(2));

/** The medians of all rounds of one operation in one store. */
interface Taken extends Cost {
  p50Ms: number;
  p99Ms: number;
}

async function rowOf({ title, measure }: ScaleOperation, ...servers: [Server, Server]): Promise<string[]> {
  console.error(title);
  try {
    const results: [RequestsMeasured[], RequestsMeasured[]] = [[], []];
    const durationMs = Math.max(
      ...(await Promise.all(servers.map((server) => durationFor(server, measure)))),
    );
    for (let round = 0; round < rounds; round++)
      for (const [index, server] of servers.entries())
        results[index]?.push(await measure(server, { warmUpMs, durationMs }));
    const [tenth, whole] = results.map(takenOf) as [Taken, Taken];
    const growth = growthOf(tenth, whole);
    return [
      title,
      ...cellsOf(tenth),
      ...cellsOf(whole),
      (whole.cpuMs / tenth.cpuMs).toFixed(1),
      marks[growth],
    ];
  } catch (error) {
    return [title, '', '', '', '', '', '', '', '', '', `not measured: ${reasonOf(error)}`];
  }
}

/** Long enough for some replies, however slow they are. */
async function durationFor(server: Server, measure: ScaleOperation['measure']): Promise<number> {
  const { p50Ms } = await measure(server, { warmUpMs: 0, durationMs: 1000 });
  return p50Ms > 0 ? Math.min(Math.max(shortestMs, 20 * p50Ms), longestMs) : longestMs;
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

const cellsOf = ({ p50Ms, p99Ms, cpuMs, bytes }: Taken): string[] => [
  p50Ms.toFixed(2),
  p99Ms.toFixed(2),
  cpuMs.toFixed(2),
  bytes === null ? 'not counted' : Math.round(bytes).toLocaleString('en'),
];

const marks: Record<Growth, string> = {
  none: '',
  'with the answer': 'with its answer',
  'beyond the answer': '**beyond its answer**',
};

const sizeText = (size: TeamSize): string =>
  Object.entries(size)
    .filter(([name]) => name !== 'body')
    .map(([name, count]) => `${count.toLocaleString('en')} ${name}`)
    .join(', ');

function reportOf(tenth: TeamSize, whole: TeamSize, rows: string[][], machineLoad: string): string {
  const head = ['', ...['tenth', 'whole'].flatMap((size) => figures.map((one) => `${size}: ${one}`))];
  return `The whole: ${sizeText(whole)}.
The tenth: ${sizeText(tenth)}.
Machine: ${machine()}. ${machineLoad}
One connection, and the median of ${rounds} rounds in turns. The load came from ${loadGenerator()}.

${table([...head, 'CPU, whole / tenth', 'grows'], rows)}`;
}

const figures = ['p50 ms', 'p99 ms', 'CPU ms', 'bytes'];
