/** Runs `bin/muster` as whole processes, each test file in a temporary home of its own. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { quoted } from '../shell-line.ts';

export const svcPath = join(import.meta.dirname, '..', 'muster');
/** The words with which texts of the command name it, in a folder outside of the checkout. */
export const calledMuster = `node ${svcPath}`;

export interface Ended {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
}

export interface Running {
  child: ChildProcessWithoutNullStreams;
  stdout(): string;
  stderr(): string;
  /** Resolves when the output contains `text`; rejects if the process ends without it. */
  shows(text: string, where?: 'stdout' | 'stderr'): Promise<void>;
  ended: Promise<Ended>;
}

export interface TerminalSize {
  columns: number;
  rows: number;
}

export interface Home {
  folder: string;
  path(name: string): string;
  env: Record<string, string>;
  /** Starts `svc` and does not wait. */
  start(args: string[], env?: Record<string, string>): Running;
  /**
   * Starts `muster` in a terminal of its own: `stdout` is the screen, with what is typed. Without `size`, the terminal
   * does not know its size.
   */
  startInTerminal(args: string[], env?: Record<string, string>, size?: TerminalSize): Running;
  /** Starts another program in a terminal of its own. */
  startOtherInTerminal(
    program: string,
    args: string[],
    env?: Record<string, string>,
    size?: TerminalSize,
  ): Running;
  /** Starts any script with this Node. */
  startScript(args: string[], env?: Record<string, string>): Running;
  /** Runs `svc` to its end. */
  run(
    args: string[],
    options?: { env?: Record<string, string>; input?: string | Uint8Array },
  ): Promise<Ended>;
  /** Starts `muster serve` on a free port and waits until it listens. */
  serve(args?: string[], env?: Record<string, string>): Promise<Running & { url: string; port: string }>;
  /** Kills what is still running and deletes the folder. */
  remove(): Promise<void>;
}

export async function createHome(): Promise<Home> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-command-'));
  const path = (name: string) => join(folder, name);
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    // Compiled code only: shared, so that each process does not compile everything again.
    XDG_CACHE_HOME: join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'svc-tests'),
    XDG_CONFIG_HOME: path('config'),
    XDG_DATA_HOME: path('data'),
    APPDATA: path('config'),
    LOCALAPPDATA: path('data'),
  };
  const running = new Set<Running>();

  function startProgram(program: string, args: string[], more: Record<string, string> = {}): Running {
    const child = spawn(program, args, { cwd: folder, env: { ...env, ...more } });
    const one = watch(child);
    running.add(one);
    void one.ended.then(() => running.delete(one));
    return one;
  }
  const startScript = (args: string[], more?: Record<string, string>) =>
    startProgram(process.execPath, args, more);
  const start = (args: string[], more?: Record<string, string>) => startScript([svcPath, ...args], more);
  function startOtherInTerminal(
    program: string,
    args: string[],
    more?: Record<string, string>,
    size?: TerminalSize,
  ): Running {
    const line = [program, ...args].map((word) => quoted(word)).join(' ');
    const sized = size === undefined ? line : `stty columns ${size.columns} rows ${size.rows}; exec ${line}`;
    return startProgram('script', ['-qefc', sized, '/dev/null'], {
      TERM: 'xterm',
      SHELL: '/bin/sh',
      ...more,
    });
  }

  return {
    folder,
    path,
    env,
    start,
    startScript,
    startInTerminal: (args, ...more) => startOtherInTerminal(process.execPath, [svcPath, ...args], ...more),
    startOtherInTerminal,
    async run(args, { env: more, input = '' } = {}) {
      const one = start(args, more);
      // A command that reads nothing may be gone before this arrives.
      one.child.stdin.on('error', () => {}).end(input);
      return one.ended;
    },
    async serve(args = [], more) {
      const one = start(['serve', '--port', '0', '--log-level', 'warn', ...args], more);
      await one.shows('listening on http', 'stdout');
      const url = /listening on (\S+)\n/.exec(one.stdout())?.[1] ?? '';
      return { ...one, url, port: new URL(url).port };
    },
    async remove() {
      const left = [...running];
      for (const { child } of left) child.kill('SIGKILL');
      await Promise.all(left.map(({ ended }) => ended));
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function watch(child: ChildProcessWithoutNullStreams): Running {
  const text = { stdout: '', stderr: '' };
  const waiting = new Set<() => void>();
  for (const where of ['stdout', 'stderr'] as const) {
    child[where].setEncoding('utf8').on('data', (chunk: string) => {
      text[where] += chunk;
      for (const check of waiting) check();
    });
  }
  const ended = once(child, 'close').then(([code, signal]): Ended => ({ code, signal, ...text }));
  return {
    child,
    stdout: () => text.stdout,
    stderr: () => text.stderr,
    ended,
    shows(wanted, where = 'stdout') {
      return new Promise((resolve, reject) => {
        const check = () => {
          if (!text[where].includes(wanted)) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
        void ended.then((end) => reject(new Error(`ended without "${wanted}": ${JSON.stringify(end)}`)));
      });
    },
  };
}

/** How often `part` occurs in `text`. */
export const count = (text: string, part: string): number => text.split(part).length - 1;
