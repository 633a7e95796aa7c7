/**
 * The real program, `muster serve`, with files of its own: started, killed with -9, and started again on the
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

const program = fileURLToPath(new URL('../../bin/muster', import.meta.url));

/** Prevents an endless wait on a busy machine. */
const startMs = 100_000;
const keptErrors = 1_000_000;

export interface ServedBroker {
  readonly url: string;
  /** Of the process that runs now; undefined if none does. */
  readonly pid: number | undefined;
  /** The configuration, the stores, and the files. */
  readonly folder: string;
  readonly mainDbPath: string;
  readonly token: (member: string) => string;
  /** Resolves when it accepts requests. */
  start(): Promise<void>;
  /** Starts it and kills it `afterMs` later, whether it listens by then or not. */
  startAndKill(afterMs: number): Promise<void>;
  /** kill -9; resolves when the process is gone. */
  kill(): Promise<void>;
  /** Stops the process that runs now, and lets it continue `forMs` later (SIGSTOP, SIGCONT). */
  suspend(forMs: number): Promise<void>;
  /** Sends a value to a script of the test; resolves with its next answer, or with undefined if it is gone. */
  tell(value: number): Promise<unknown>;
  /** The newest of what the program wrote to standard error in all its lives. */
  readonly errors: () => string;
  /** Kills what is running and deletes every file. */
  remove(): Promise<void>;
}

export interface ServeOptions {
  folder: string;
  token: (member: string) => string;
  /** A script that takes the options of `muster serve`, and answers what it is told; `muster serve` by default. */
  script?: { path: string; env: () => Record<string, string> } | undefined;
}

export interface TeamOptions {
  /** The permissions of each member; `admin` by default. */
  rawPermissions?: (member: string) => string[];
  /** Further blocks of the configuration. */
  blocks?: Record<string, unknown>;
  /** Further settings of the team. */
  team?: Record<string, unknown>;
  /** An empty folder; a temporary one by default. `remove` deletes it. */
  folder?: string;
  script?: ServeOptions['script'];
}

/** Writes a configuration for `members`, with plaintext tokens that the first start migrates. */
export async function prepareServedBroker(
  members: readonly string[],
  { rawPermissions = () => ['admin'], blocks = {}, team = {}, script, ...at }: TeamOptions = {},
): Promise<ServedBroker> {
  const folder = at.folder ?? (await mkdtemp(join(tmpdir(), 'muster-crash-')));
  const tokenByMember = new Map(members.map((member) => [member, mintToken()]));
  const config = {
    ...blocks,
    team: {
      name: 'Crash',
      directive: 'Lose nothing',
      brief: '',
      permissionPresets: defaultPresets,
      ...team,
    },
    store: {
      members: members.map((name) => ({
        name,
        role: { title: name, description: '' },
        rawPermissions: rawPermissions(name),
        token: tokenByMember.get(name),
      })),
    },
  };
  await writeFile(placeOf(folder).configPath, JSON.stringify(config), { mode: 0o600 });
  return serveFrom({ folder, token: (member) => tokenByMember.get(member) ?? '', script });
}

/** Returns where a served broker keeps its files. */
export const placeOf = (folder: string) => ({
  configPath: join(folder, 'svc.json'),
  mainDbPath: join(folder, 'main.db'),
  activityDbPath: join(folder, 'activity.db'),
});

/** Serves what a folder holds, such as a restored backup. */
export function serveFrom({ folder, token, script }: ServeOptions): ServedBroker {
  const { configPath, mainDbPath, activityDbPath } = placeOf(folder);
  let url = '';
  let errors = '';
  let child: ChildProcess | null = null;

  function launch(): ChildProcess {
    const port = url === '' ? '0' : new URL(url).port;
    const files = ['--config-path', configPath, '--db', mainDbPath, '--activity-db', activityDbPath];
    const begin = script === undefined ? [program, 'serve'] : [script.path];
    const launched = spawn(process.execPath, [...begin, ...files, '--port', port, '--json'], {
      // Ctrl+C is for the test, which then ends what it started.
      detached: script !== undefined,
      stdio: ['ignore', 'pipe', 'pipe', ...(script === undefined ? [] : ['ipc' as const])],
      // Variables that the machine sets for a broker of its own are left out, and the compile cache is in the
      // folder.
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        XDG_CACHE_HOME: join(folder, 'cache'),
        ...script?.env(),
      },
    });
    launched.stderr?.setEncoding('utf8').on('data', (text: string) => {
      errors = (errors + text).slice(-keptErrors);
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
    folder,
    mainDbPath,
    token,
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
      throw new Error(`muster serve did not listen within ${startMs} ms, or ended before: ${errors}`);
    },
    async startAndKill(afterMs) {
      launch();
      await new Promise((resolve) => setTimeout(resolve, afterMs));
      await kill();
    },
    kill,
    async suspend(forMs) {
      const suspended = child;
      suspended?.kill('SIGSTOP');
      await new Promise((resolve) => setTimeout(resolve, forMs));
      suspended?.kill('SIGCONT');
    },
    async tell(value) {
      const told = child;
      if (told?.connected !== true) return undefined;
      const over = new AbortController();
      const { signal } = over;
      const answer = once(told, 'message', { signal });
      const gone = once(told, 'disconnect', { signal });
      told.send(value, () => undefined);
      const [first] = await Promise.race([answer, gone]);
      over.abort();
      await Promise.allSettled([answer, gone]);
      return first;
    },
    errors: () => errors,
    async remove() {
      await kill();
      await rm(folder, { recursive: true });
    },
  };
}
