/** The programs under measurement: servers on one core, the load on the other. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { Load } from './load-process.ts';

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** `taskset` on Linux with two or more cores; elsewhere, the system places the processes. */
const canPin = process.platform === 'linux' && cpus().length > 1 && hasTaskset();

function hasTaskset(): boolean {
  try {
    execFileSync('taskset', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

function start(
  core: number,
  script: string,
  args: string[],
  options: { env?: NodeJS.ProcessEnv; stdin?: 'pipe' } = {},
): ChildProcess {
  const command = canPin ? ['taskset', '-c', String(core), process.execPath] : [process.execPath];
  return spawn(command[0] ?? '', [...command.slice(1), script, ...args], {
    stdio: [options.stdin ?? 'ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...options.env },
  });
}

async function firstLine(child: ChildProcess): Promise<string> {
  let text = '';
  for await (const chunk of child.stdout ?? []) {
    text += String(chunk);
    if (text.includes('\n')) break;
  }
  return text.slice(0, text.indexOf('\n'));
}

/** Places a program on the servers' core. */
export const onServerCore: readonly string[] = canPin ? ['taskset', '-c', '0'] : [];

/** Places a program on the other cores. */
export const onLoadCores: readonly string[] = canPin ? ['taskset', '-c', `1-${cpus().length - 1}`] : [];

/** How many of them there are. */
export const loadCores = Math.max(1, cpus().length - 1);

const statOf = (pid: number | undefined): string[] =>
  readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];

/** Returns the user and system time of all threads of a process so far, in seconds. */
export function cpuSecondsOf(pid: number | undefined): number {
  const stat = statOf(pid);
  return (Number(stat[11]) + Number(stat[12])) / 100;
}

/** Starts a program that needs all of the servers' core. Returns what ends it. */
export function keepServerCoreBusy(): () => Promise<void> {
  const [command = process.execPath, ...pin] = [...onServerCore, process.execPath];
  const child = spawn(command, [...pin, '-e', 'for (;;);'], { stdio: 'ignore' });
  return async () => {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  };
}

/** Runs a script on the servers' core. Returns its first line. */
export async function runScript(script: string, args: string[]): Promise<string> {
  const child = start(0, here(script), args);
  const line = await firstLine(child);
  if (child.exitCode === null) await once(child, 'exit');
  return line;
}

export interface Server {
  port: number;
  /** User and system time so far, in seconds. */
  cpuSeconds: () => number;
  /** Resident memory in bytes. */
  residentBytes: () => number;
  stop: () => Promise<void>;
}

/** Starts a server script that prints its port, or a URL with it, on its first line. */
export async function startServer(
  script: string,
  args: string[] = [],
  env: NodeJS.ProcessEnv = {},
): Promise<Server> {
  const child = start(0, here(script), args, { env });
  const port = Number(/(\d+)\D*$/.exec(await firstLine(child))?.[1]);
  if (Number.isNaN(port)) throw new Error(`${script} did not start`);
  child.stdout?.resume();
  return {
    port,
    cpuSeconds: () => cpuSecondsOf(child.pid),
    residentBytes: () => Number(statOf(child.pid)[21]) * 4096,
    async stop() {
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

/** Runs with a server and stops it afterwards. */
export async function measured<S extends { stop: () => Promise<void> }>(
  server: S,
  run: (server: S) => Promise<void>,
): Promise<void> {
  try {
    await run(server);
  } finally {
    await server.stop();
  }
}

export async function runLoad<Result>(load: Load): Promise<Result> {
  const child = start(1, here('load-process.ts'), [JSON.stringify(load)]);
  const line = await firstLine(child);
  return JSON.parse(line);
}

/** Keeps a load's streams open until the returned function is called. */
export async function holdStreams(load: Extract<Load, { kind: 'idle' }>): Promise<() => Promise<void>> {
  const child = start(1, here('load-process.ts'), [JSON.stringify(load)], { stdin: 'pipe' });
  await firstLine(child);
  return async () => {
    child.stdin?.end();
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
}
