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

export async function preparePostgres(): Promise<Postgres> {
  const folder = mkdtempSync(join(tmpdir(), 'muster-pg-'));
  const identity = account();
  if (identity.uid !== undefined && identity.gid !== undefined) chownSync(folder, identity.uid, identity.gid);
  chmodSync(folder, 0o700);
  const data = join(folder, 'data');
  execFileSync(programOf('initdb'), ['-D', data, '-U', 'muster', '-A', 'trust', '--no-sync', '-E', 'UTF8'], {
    ...identity,
    cwd: folder,
    stdio: 'ignore',
  });
  let server: ChildProcess | null = null;
  let databases = 0;
  const urlOf = (database: string) =>
    `postgres://muster@localhost:${port}/${database}?host=${encodeURIComponent(folder)}`;

  async function isReady(): Promise<boolean> {
    const client = new pg.Client({ connectionString: urlOf('postgres') });
    try {
      await client.connect();
      return true;
    } catch {
      return false;
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  async function crash(): Promise<void> {
    if (server === null) return;
    const exited = once(server, 'exit');
    // Its own signal for a stop without any preparation.
    server.kill('SIGQUIT');
    await exited;
    server = null;
  }

  return {
    async start(...settings) {
      if (server !== null) return;
      const options = [`unix_socket_directories=${folder}`, 'listen_addresses=', ...settings];
      server = spawn(
        programOf('postgres'),
        ['-D', data, '-p', String(port), ...options.flatMap((option) => ['-c', option])],
        {
          ...identity,
          cwd: folder,
          stdio: 'ignore',
        },
      );
      await until(isReady, 'PostgreSQL answers');
    },
    crash,
    async createDatabase() {
      databases += 1;
      const client = new pg.Client({ connectionString: urlOf('postgres') });
      await client.connect();
      await client.query(`CREATE DATABASE team${databases}`);
      await client.end();
      return urlOf(`team${databases}`);
    },
    async remove() {
      await crash();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
