/** A store from before it was recorded which members are agents. */
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startTestBroker } from '../testing/test-broker.ts';
import { mainMigrations } from './main.migrations.ts';
import { openDatabase } from './sqlite/open-database.ts';

it('knows after the upgrade which members of an older store are agents', async () => {
  const team = await startTestBroker({
    onDisk: true,
    members: { ada: ['admin'], ben: [], cy: [], dan: [], eve: [] },
  });
  onTestFinished(() => team.stop());
  await team.broker.close();
  const file = join(team.folder, 'main.db');
  for (const suffix of ['', '-wal', '-shm'])
    await rename(file + suffix, `${file}.new${suffix}`).catch(() => undefined);
  const earlier = mainMigrations.findIndex((sql) => sql.includes('CREATE TABLE member_kind'));
  const db = openDatabase(file, 'writer', mainMigrations.slice(0, earlier));
  const token = db.prepare(
    `INSERT INTO token (id, member, hash, label, origin, created_at) VALUES (?, ?, ?, '', ?, 1)`,
  );
  token.run(crypto.randomUUID(), 'ben', 'sha256:a', 'run');
  token.run(crypto.randomUUID(), 'cy', 'sha256:b', 'enroll');
  db.prepare(
    `INSERT INTO run_lease (member, run_id, host, agent, since) VALUES ('eve', ?, 'mill', 'Codex', 1)`,
  ).run(crypto.randomUUID());
  // The token of its run was revoked; the audit log still tells of it.
  db.prepare(
    `INSERT INTO audit (at, kind, via, subject, after, previous, hash) VALUES (1, 'token_created', 'request', 'dan', ?, ?, 'h')`,
  ).run(JSON.stringify({ origin: 'run' }), '0'.repeat(64));
  db.close();

  await team.restart();
  const kinds = async () =>
    Object.fromEntries(
      (await team.as('ada').call('memberKinds', {})).kinds.map(({ name, kind, isSet }) => [
        name,
        isSet ? 'set' : kind,
      ]),
    );
  const found = { ada: 'person', ben: 'agent', cy: 'person', dan: 'agent', eve: 'agent' };
  expect(await kinds()).toEqual(found);
  await team.restart();
  expect(await kinds()).toEqual(found);
});
