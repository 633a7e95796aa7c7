/**
 * The real program, `svc serve`, with files of its own: started, killed with -9, and started again on the
 * same port.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { defaultPresets } from '#protocol/access.ts';
import { mintToken } from '../../broker/security/token.ts';

const program = fileURLToPath(new URL('../../bin/svc', import.meta.url));

/** Prevents an endless wait on a busy machine. */
const startMs = 100_000;

export interface ServedBroker {
  readonly url: string;
  /** Of the process that runs now; undefined if none does. */
  readonly pid: number | undefined;
  readonly mainDbPath: string;
  readonly token: (member: string) => string;
  /** Resolves when it accepts requests. */
  start(): Promise<void>;
  /** Starts it and kills it `afterMs` later, whether it listens by then or not. */
  startAndKill(afterMs: number): Promise<void>;
  /** kill -9; resolves when the process is gone. */
  kill(): Promise<void>;
  /** What the program wrote to standard error in all its lives. */
  readonly errors: () => string;
  /** Kills what is running and deletes every file. */
  remove(): Promise<void>;
}

export interface TeamOptions {
  /** The permissions of each member; `admin` by default. */
  rawPermissions?: (member: string) => string[];
  /** Further blocks of the configuration. */
  blocks?: Record<string, unknown>;
}

/** Writes a configuration for `members`, with plaintext tokens that the first start migrates. */
export async function prepareServedBroker(
  members: readonly string[],
  { rawPermissions = () => ['admin'], blocks = {} }: TeamOptions = {},
): Promise<ServedBroker> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-crash-'));
  const configPath = join(folder, 'svc.json');
  const mainDbPath = join(folder, 'main.db');
  const tokenByMember = new Map(members.map((member) => [member, mintToken()]));
  const config = {
    ...blocks,
    team: { name: 'Crash', directive: 'Lose nothing', brief: '', permissionPresets: defaultPresets },
    store: {
      members: members.map((name) => ({
        name,
        role: { title: name, description: '' },
        rawPermissions: rawPermissions(name),
        token: tokenByMember.get(name),
      })),
    },
  };
  await writeFile(configPath, JSON.stringify(config), { mode: 0o600 });

  let url = '';
  let errors = '';
  let child: ChildProcess | null = null;

  function launch(): ChildProcess {
    const port = url === '' ? '0' : new URL(url).port;
    const files = [
      '--config-path',
      configPath,
      '--db',
      mainDbPath,
      '--activity-db',
      join(folder, 'activity.db'),
    ];
    const launched = spawn(process.execPath, [program, 'serve', ...files, '--port', port, '--json'], {
      stdio: ['ignore', 'pipe', 'pipe'],
      // Variables that the machine sets for a broker of its own are left out, and the compile cache is in the
      // folder.
      env: { PATH: process.env.PATH, HOME: folder, XDG_CACHE_HOME: join(folder, 'cache') },
    });
    launched.stderr?.setEncoding('utf8').on('data', (text: string) => {
      errors += text;
    });
    child = launched;
    return launched;
  }

  async function kill(): Promise<void> {
    const running = child;
    child = null;
    if (running === null || running.exitCode !== null || running.signalCode !== null) return;
    const gone = once(running, 'exit');
    running.kill('SIGKILL');
    await gone;
  }

  return {
    get url() {
      return url;
    },
    get pid() {
      return child?.pid;
    },
    mainDbPath,
    token: (member) => tokenByMember.get(member) ?? '',
    async start() {
      const launched = launch();
      if (launched.stdout === null) throw new Error('the program has no standard output');
      // A program that neither listens nor ends is killed, which ends its output.
      const overdue = setTimeout(() => launched.kill('SIGKILL'), startMs);
      for await (const line of createInterface({ input: launched.stdout })) {
        const said: { listening?: string } = JSON.parse(line);
        if (said.listening === undefined) continue;
        url = said.listening;
        clearTimeout(overdue);
        launched.stdout.resume();
        return;
      }
      clearTimeout(overdue);
      throw new Error(`svc serve did not listen within ${startMs} ms, or ended before: ${errors}`);
    },
    async startAndKill(afterMs) {
      launch();
      await new Promise((resolve) => setTimeout(resolve, afterMs));
      await kill();
    },
    kill,
    errors: () => errors,
    async remove() {
      await kill();
      await rm(folder, { recursive: true });
    },
  };
}
