/** The host of the database that the machines share (docs/specification/standby.md#settings). */
import { afterEach, expect, it, vi } from 'vitest';
import { createConnection } from './database-connection.ts';

afterEach(() => vi.unstubAllEnvs());

it.each([
  ['postgres:///muster', 'localhost'],
  ['postgres:///muster?host=', 'localhost'],
  ['postgres:///muster?host=/run/postgresql', '/run/postgresql'],
  ['postgres://db.example/muster', 'db.example'],
])('of %s is the one that was checked, whatever PGHOST says', (url, host) => {
  vi.stubEnv('PGHOST', 'elsewhere.example');
  const { client, end } = createConnection({ url, name: 'one' }, { connectMs: 1000, requestMs: 1000 });
  expect(client.host).toBe(host);
  end();
});
