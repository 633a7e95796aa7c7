/** PostgreSQL for the tests of a file. */
import { afterAll, beforeAll } from 'vitest';
import { type Postgres, preparePostgres } from './postgres-server.ts';

/** Prepares and starts one for the tests of a file, and removes it afterwards. */
export function postgresForTests(): Postgres {
  let prepared: Postgres | null = null;
  const postgres = (): Postgres => {
    if (prepared === null) throw new Error('PostgreSQL is there while tests run');
    return prepared;
  };
  beforeAll(async () => {
    prepared = await preparePostgres();
    await prepared.start();
  });
  afterAll(() => prepared?.remove());
  return {
    createDatabase: () => postgres().createDatabase(),
    crash: () => postgres().crash(),
    addSynchronous: () => postgres().addSynchronous(),
    start: (...settings) => postgres().start(...settings),
    remove: () => postgres().remove(),
  };
}
