/** A real PostgreSQL with a folder of its own, which only listens on a socket in that folder. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, chownSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import pg from 'pg';
import { programPath } from '../testing/programs.ts';
import { until } from '../testing/until.ts';

const port = 5432;

export interface Postgres {
  /** A new, empty database. */
  createDatabase(): Promise<string>;
  /** Ends it like a crash. */
  crash(): Promise<void>;
  /** Unless it runs. `settings`: for example `fsync=off`. */
  start(...settings: string[]): Promise<void>;
  /** Another server that follows this one, which must run; from now on, this one confirms nothing that the other does not have. */
  addSynchronous(): Promise<Follower>;
  remove(): Promise<void>;
}

export interface Follower {
  /** The address of a database of the server that it follows. */
  urlOf(database: string): string;
  /** Makes it a server of its own. */
  promote(): Promise<void>;
  crash(): Promise<void>;
  start(): Promise<void>;
  remove(): Promise<void>;
}

/** PostgreSQL refuses to run as root. */
function account(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const id = (kind: string) => Number(execFileSync('id', [kind, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/** A program beside the server's, wherever a link in the PATH leads. */
const programOf = (name: string): string => join(dirname(realpathSync(programPath('postgres'))), name);

/** A server on the data in `folder`, and what stops it. */
function createServer(folder: string, identity: ReturnType<typeof account>) {
  let server: ChildProcess | null = null;
  const urlOf = (database: string) =>
    `postgres://muster@localhost:${port}/${database}?host=${encodeURIComponent(folder)}`;

  async function query(statement: string, database = 'postgres'): Promise<Record<string, unknown>[]> {
    const client = new pg.Client({ connectionString: urlOf(database) });
    try {
      await client.connect();
      return (await client.query<Record<string, unknown>>(statement)).rows;
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  async function crash(): Promise<void> {
    if (server === null) return;
    const exited = once(server, 'exit');
    // Its own signal for a stop without any preparation. On a full disk, it may have ended by itself.
    if (server.exitCode === null && server.signalCode === null) {
      server.kill('SIGQUIT');
      await exited;
    }
    server = null;
  }

  return {
    urlOf,
    query,
    crash,
    async start(...settings: string[]): Promise<void> {
      if (server !== null) return;
      const options = [`unix_socket_directories=${folder}`, 'listen_addresses=', ...settings];
      server = spawn(
        programOf('postgres'),
        ['-D', join(folder, 'data'), '-p', String(port), ...options.flatMap((option) => ['-c', option])],
        {
          ...identity,
          cwd: folder,
          stdio: 'ignore',
        },
      );
      const isReady = () =>
        query('SELECT').then(
          () => true,
          () => false,
        );
      await until(isReady, 'PostgreSQL answers');
    },
    async remove(): Promise<void> {
      await crash();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function createFolder(
  identity: ReturnType<typeof account>,
  folder = mkdtempSync(join(tmpdir(), 'muster-pg-')),
): string {
  if (identity.uid !== undefined && identity.gid !== undefined) chownSync(folder, identity.uid, identity.gid);
  chmodSync(folder, 0o700);
  return folder;
}

/** `place`: an empty folder for it; by default, one is created. */
export async function preparePostgres(place?: string): Promise<Postgres> {
  const identity = account();
  const folder = createFolder(identity, place);
  const run = (cwd: string, program: string, ...words: string[]) =>
    execFileSync(programOf(program), words, { ...identity, cwd, stdio: 'ignore' });
  run(folder, 'initdb', '-D', 'data', '-U', 'muster', '-A', 'trust', '--no-sync', '-E', 'UTF8');
  const { start, crash, urlOf, query, remove } = createServer(folder, identity);
  let databases = 0;

  return {
    start,
    crash,
    remove,
    async createDatabase() {
      databases += 1;
      await query(`CREATE DATABASE team${databases}`);
      return urlOf(`team${databases}`);
    },
    async addSynchronous() {
      const own = createFolder(identity);
      const from = ['-h', folder, '-p', String(port), '-U', 'muster'];
      run(
        own,
        'pg_basebackup',
        '-D',
        'data',
        '--write-recovery-conf',
        '--checkpoint=fast',
        '--no-sync',
        ...from,
      );
      const follower = createServer(own, identity);
      await follower.start();
      await query("ALTER SYSTEM SET synchronous_standby_names = '*'");
      await query('SELECT pg_reload_conf()');
      await until(
        async () => (await query('SELECT sync_state FROM pg_stat_replication'))[0]?.sync_state === 'sync',
        'the other server is synchronous',
      );
      return {
        urlOf: follower.urlOf,
        async promote() {
          await follower.query('ALTER SYSTEM RESET synchronous_standby_names');
          await follower.query('SELECT pg_promote()');
        },
        crash: follower.crash,
        start: follower.start,
        remove: follower.remove,
      };
    },
  };
}
