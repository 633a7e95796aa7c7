/** Databases that lose what they confirmed, or are too old (docs/specification/standby.md#settings). */
import type pg from 'pg';
import { StartUpError } from '../runtime/start-up-error.ts';

const oldestServer = 150_000;

/** @throws StartUpError if the database must not be trusted with a log. */
export async function refuseUnfit(client: pg.Client): Promise<void> {
  const setting = async (name: string): Promise<string> =>
    String(Object.values((await client.query<Record<string, unknown>>(`SHOW ${name}`)).rows[0] ?? {})[0]);
  if (Number(await setting('server_version_num')) < oldestServer)
    throw new StartUpError(
      `the database that the machines share is PostgreSQL ${await setting('server_version')}; version 15 or newer is needed`,
    );
  for (const name of ['fsync', 'full_page_writes', 'synchronous_commit']) {
    const value = await setting(name);
    // A synchronous commit may also wait for other machines.
    if (value === 'off' || value === 'local')
      throw new StartUpError(
        `the database that the machines share has "${name} = ${value}" and can lose what it confirmed; set it to on`,
      );
  }
}
