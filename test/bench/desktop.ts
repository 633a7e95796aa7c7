/**
 * Measures the desktop app in the stand-in: its start, its memory, and the longest delay of its main thread.
 * `node test/bench/desktop.ts` runs it alone.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../../broker/testing/free-port.ts';
import { type AppFolder, prepareAppFolder } from '../desktop/testing/app-folder.ts';
import { benchConfig, benchToken } from './bench-broker.ts';
import type { HostAnswer, HostQuestion } from './desktop-host.ts';
import type { FanOutResult } from './fan-out-load.ts';
import type { HttpLoadResult } from './http-load.ts';
import { fillActivity } from './large-activity.ts';
import { runLoad } from './processes.ts';
import { machine, median, type Row, sampleTable, targetTable } from './report.ts';

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

export interface DesktopBenchDeps {
  folder: string;
  isQuick: boolean;
  sample: (name: string, value: number) => void;
}

interface Host {
  startMs: number;
  port: number;
  ask<Kind extends HostAnswer['kind']>(
    question: HostQuestion,
    kind: Kind,
  ): Promise<Extract<HostAnswer, { kind: Kind }>>;
  quit(): Promise<void>;
}

export function createDesktopBench({ folder, isQuick, sample }: DesktopBenchDeps) {
  const rows = isQuick ? 50_000 : 1_000_000;
  const settleMs = isQuick ? 1000 : 5000;
  const everyMs = 200;
  let homes = 0;
  let app: AppFolder | undefined;

  function newHome(): { path: string; activityDb: string } {
    const path = join(folder, `desktop-${++homes}`);
    const configDir = join(path, 'config', 'svc');
    const dataDir = join(path, 'data', 'svc');
    for (const one of [configDir, dataDir]) mkdirSync(one, { recursive: true, mode: 0o700 });
    writeFileSync(join(configDir, 'svc.json'), JSON.stringify(benchConfig()), { mode: 0o600 });
    return { path, activityDb: join(dataDir, 'activity.db') };
  }

  async function start(home: string, { appPath, main }: AppFolder): Promise<Host> {
    const env = {
      PATH: process.env.PATH,
      HOME: home,
      XDG_CONFIG_HOME: join(home, 'config'),
      XDG_DATA_HOME: join(home, 'data'),
      XDG_CACHE_HOME: join(home, 'cache'),
      SVC_PORT: String(await freePort()),
    };
    return hostOf(fork(here('desktop-host.ts'), [appPath, main, '--hidden'], { env }));
  }

  async function starts(place: AppFolder): Promise<void> {
    // The second start finds what the first one created, as every start after the first one does.
    const { path } = newHome();
    for (const isCounted of [false, true]) {
      const host = await start(path, place);
      await after(settleMs);
      const { bytes } = await host.ask('rss', 'rss');
      await host.quit();
      if (!isCounted) continue;
      sample('desktop, start to tray ms', host.startMs);
      const bare = await hostOf(fork(here('desktop-host.ts'), []));
      await after(settleMs);
      const { bytes: ofNode } = await bare.ask('rss', 'rss');
      await bare.quit();
      sample('desktop, memory with Node MiB', bytes / 2 ** 20);
      sample('desktop, memory of the broker part MiB', (bytes - ofNode) / 2 ** 20);
    }
  }

  /** Streams, messages, and uploads go on until the prune has finished; the measurement ends with it. */
  async function underLoad(place: AppFolder): Promise<void> {
    const { path, activityDb } = newHome();
    fillActivity(activityDb, rows);
    const host = await start(path, place);
    const { port } = host;
    const load = (messages: number) =>
      Promise.all([
        runLoad<FanOutResult>({
          kind: 'fan-out',
          port,
          streams: 100,
          opening: `GET /subscribe?name=bench HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${benchToken}\r\n\r\n`,
          opened: 'event: ready',
          request: `POST /push HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${benchToken}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\r\n${JSON.stringify({ body: `{n} ${'x'.repeat(80)}`, level: 'info' })}`,
          connections: 1,
          messages,
          everyMs,
        }),
        runLoad<HttpLoadResult>({
          kind: 'activity',
          events: 500,
          port,
          connections: 1,
          // Without a pause, the load would keep the store's file to itself, and the prune would not get its
          // turn.
          pauseMs: 20,
          warmUpMs: 0,
          // The load sends the messages twice.
          durationMs: 2 * messages * everyMs,
        }),
      ]);
    // Warms up, so that the measured code is compiled.
    await load(isQuick ? 5 : 15);
    // An idle Node process shows how much of the delay is the machine's.
    const still = await hostOf(fork(here('desktop-host.ts'), []));
    for (const one of [host, still]) await one.ask('begin', 'begun');
    let isPruning = true;
    const pruning = prune(activityDb).then(async (pruned) => {
      isPruning = false;
      if (pruned < rows) throw new Error(`only ${pruned} rows were pruned`);
      const delay = await host.ask('delay', 'delay');
      sample('desktop, event loop delay p50 ms', delay.p50);
      sample('desktop, event loop delay p99 ms', delay.p99);
      sample('desktop, event loop delay longest ms', delay.max);
      sample('desktop, own work between two looks at the loop p99 ms', delay.work.p99);
      sample('desktop, own work between two looks at the loop longest ms', delay.work.max);
      sample('idle Node beside it, event loop delay p99 ms', (await still.ask('delay', 'delay')).p99);
    });
    while (isPruning) {
      const [, uploads] = await load(isQuick ? 5 : 25);
      sample('desktop, batches of 500 events per second', uploads.perSecond);
    }
    await pruning;
    for (const one of [host, still]) await one.quit();
    rmSync(path, { recursive: true });
  }

  return {
    async round() {
      app ??= await prepareAppFolder(join(folder, 'desktop'));
      await starts(app);
      await underLoad(app);
    },
    rows: (at: (name: string) => number): Row[] => [
      {
        figure: 'desktop app in the stand-in, start to tray',
        value: at('desktop, start to tray ms'),
        unit: 'ms',
        target: 1500,
        better: 'lower',
      },
      {
        figure: 'memory of its broker part, idle and hidden',
        value: at('desktop, memory of the broker part MiB'),
        unit: 'MiB',
        target: 120,
        better: 'lower',
      },
      {
        figure: `event-loop delay of its main thread, p99, with 100 streams, uploads and a prune of ${rows.toLocaleString('en')} rows`,
        value: at('desktop, event loop delay p99 ms'),
        unit: 'ms',
        target: 25,
        better: 'lower',
      },
    ],
  };
}

async function hostOf(child: ChildProcess): Promise<Host> {
  const answer = async (): Promise<HostAnswer> => {
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`the app under measurement ended with ${code}`);
    });
    const [message] = await Promise.race([once(child, 'message'), ended]);
    return message as HostAnswer;
  };
  const ready = await answer();
  if (ready.kind !== 'ready') throw new Error('the app under measurement does not begin');
  return {
    startMs: ready.startMs,
    port: ready.url === '' ? 0 : Number(new URL(ready.url).port),
    async ask(question, kind) {
      child.send(question);
      const said = await answer();
      if (said.kind !== kind) throw new Error(`asked for ${kind}, it said ${said.kind}`);
      return said as Extract<HostAnswer, { kind: typeof kind }>;
    },
    async quit() {
      const ended = once(child, 'exit');
      child.send('quit');
      await ended;
    },
  };
}

/** Prunes with the command in its own process. Returns the number of deleted rows. */
async function prune(file: string): Promise<number> {
  const child = spawn(
    process.execPath,
    [here('../../bin/muster'), 'prune-activity', '--older-than', '1d', '--activity-db', file, '--json'],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  let text = '';
  for await (const chunk of child.stdout) text += String(chunk);
  return Number(JSON.parse(text).rows);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = mkdtempSync(join(tmpdir(), 'muster-bench-'));
  const samples = new Map<string, number[]>();
  const bench = createDesktopBench({
    folder,
    isQuick: process.argv.includes('--quick'),
    sample: (name, value) => samples.set(name, [...(samples.get(name) ?? []), value]),
  });
  try {
    await bench.round();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  console.log(
    `${machine()}\n\n${targetTable(bench.rows((name) => median(samples.get(name) ?? [])))}\n\n${sampleTable(samples)}`,
  );
}
