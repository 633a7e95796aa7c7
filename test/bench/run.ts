/**
 * Measures the cost of a run beside its agent: the memory of the runner and of the bridge, idle, packed and in a source checkout.
 * An earlier run has compiled the code.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { buildCommand } from '../../bin/build.ts';
import { benchToken, startBenchBroker } from './bench-broker.ts';
import type { Row } from './report.ts';

export interface RunBenchOptions {
  folder: string;
  /** Has the command as it is packed. */
  packed: string;
  sample: (name: string, value: number) => void;
}

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const settleMs = 5000;

/** Resident memory in MiB. */
const rssOf = (pid: number): number =>
  Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024;

/** The same, with pages that several processes use divided among them; null if the system does not report it. */
function pssOf(pid: number): number | null {
  if (process.platform !== 'linux') return null;
  const found = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'));
  return found === null ? null : Number(found[1]) / 1024;
}

export function createRunBench({ folder, packed, sample }: RunBenchOptions) {
  let homes = 0;
  /** The cache of compiled code is shared by the rounds, like that of a person who runs agents every day. */
  const cache = join(folder, 'compiled');

  async function runOnce(command: string, name: string | null): Promise<void> {
    const home = join(folder, `run-${++homes}`);
    mkdirSync(home, { recursive: true });
    const broker = await startBenchBroker(join(home, 'broker'));
    const env = { PATH: process.env.PATH, HOME: home, XDG_CACHE_HOME: cache };
    const runner = spawn(
      process.execPath,
      [
        ...[command, 'run', process.execPath, '--headless', '--cwd', home],
        ...['--url', `http://127.0.0.1:${broker.port}`, '--token', benchToken, '--', here('bench-agent.ts')],
      ],
      { stdio: ['ignore', 'pipe', 'inherit'], env },
    );
    const ended = once(runner, 'exit');
    try {
      const bridge = await bridgePid(runner.stdout);
      await pause(settleMs);
      if (name !== null) measure(name, [runner.pid ?? 0, bridge]);
    } finally {
      runner.kill('SIGTERM');
      await ended;
      await broker.stop();
    }
  }

  function measure(name: string, [runner, bridge]: [number, number]): void {
    sample(`${name}, memory of the runner MiB`, rssOf(runner));
    sample(`${name}, memory of the bridge MiB`, rssOf(bridge));
    const [ofRunner, ofBridge] = [pssOf(runner), pssOf(bridge)];
    if (ofRunner !== null) sample(`${name}, proportional memory of the runner MiB`, ofRunner);
    if (ofBridge !== null) sample(`${name}, proportional memory of the bridge MiB`, ofBridge);
  }

  return {
    async round(): Promise<void> {
      const commands = {
        'packed run': join(packed, 'muster.js'),
        'run from source': here('../../bin/muster'),
      };
      const isFirst = homes === 0;
      for (const [name, command] of Object.entries(commands)) {
        if (isFirst) await runOnce(command, null);
        await runOnce(command, name);
      }
    },
    rows: (at: (name: string) => number): Row[] => [
      {
        figure: 'memory of a packed run beside its agent, runner and bridge',
        value: at('packed run, memory of the runner MiB') + at('packed run, memory of the bridge MiB'),
        unit: 'MiB',
        target: 120,
        better: 'lower',
        whyMissed:
          'each of the two processes counts the 45 MiB of a bare Node, most of which they share with each other and with everything else that runs on Node. Divided among them, they take less than half of it.',
      },
    ],
  };
}

async function bridgePid(output: NodeJS.ReadableStream): Promise<number> {
  let text = '';
  for await (const chunk of output) {
    text += String(chunk);
    const found = /bridge (\d+)\n/.exec(text);
    if (found !== null) return Number(found[1]);
  }
  throw new Error(`the agent did not start its bridge: ${text}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = mkdtempSync(join(tmpdir(), 'muster-bench-'));
  const packed = join(folder, 'packed');
  const sample = (name: string, value: number): void => console.log(name, value.toFixed(1));
  const bench = createRunBench({ folder, packed, sample });
  try {
    await buildCommand(packed);
    for (let round = 0; round < 3; round++) await bench.round();
  } finally {
    rmSync(folder, { recursive: true });
  }
}
