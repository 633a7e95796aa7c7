/** SIGTERM while the database takes a small file of the active broker only later (docs/specification/standby.md#lease). */
import { readFile, writeFile } from 'node:fs/promises';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { makeHttpsFiles } from '../../broker/config/https-files.ts';
import { freePort } from '../../broker/testing/free-port.ts';
import { until } from '../testing/until.ts';
import { createMachines, type Machines } from './machines.ts';
import { postgresForTests } from './postgres.ts';

const postgres = postgresForTests();
let machines: Machines;
let client: pg.Client;

beforeEach(async () => {
  const database = await postgres.createDatabase();
  machines = await createMachines(database, ['ada']);
  client = new pg.Client({ connectionString: database });
  await client.connect();
});
afterEach(async () => {
  await machines.remove();
  await client.end();
});

async function changeConfig(change: object): Promise<void> {
  const { configPath } = machines.first.place;
  const config = JSON.parse(await readFile(configPath, 'utf8'));
  await writeFile(configPath, JSON.stringify({ ...config, ...change }));
}

/** Makes every writer of a version of the file wait for this test. */
const hold = (name: string) =>
  client.query(`SELECT pg_advisory_lock(7);
    CREATE FUNCTION muster.held() RETURNS trigger LANGUAGE plpgsql
      AS $$ BEGIN PERFORM pg_advisory_xact_lock(7); RETURN NEW; END $$;
    CREATE TRIGGER held BEFORE INSERT OR UPDATE ON muster.file FOR EACH ROW
      WHEN (NEW.name = '${name}') EXECUTE FUNCTION muster.held()`);

async function someoneWaits(): Promise<boolean> {
  const { rowCount } = await client.query("SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted");
  return (rowCount ?? 0) > 0;
}

describe('a stop of the active broker', { timeout: 120_000 }, () => {
  it.each(['config/svc.json', 'config/tls/server.crt'])(
    'is not held up by a "%s" that waits for the database',
    async (file) => {
      const { first } = machines;
      await makeHttpsFiles(first.place.configPath, {
        teamName: 'Crash',
        names: { configured: [], all: ['127.0.0.1'] },
        now: Date.now(),
      });
      const https = { port: await freePort(), cert: 'tls/server.crt', key: 'tls/server.key' };
      await changeConfig({ https, listen: { httpsHost: '127.0.0.1' } });
      await first.start();
      await first.active();
      await first.exit('SIGTERM');
      await hold(file);
      await changeConfig({ https, listen: { httpsHost: '127.0.0.1', hosts: ['team.example'] } });
      await first.start();
      await until(someoneWaits, `"${file}" waits`);
      expect(await first.exit('SIGTERM')).toBe(0);
    },
  );
});
