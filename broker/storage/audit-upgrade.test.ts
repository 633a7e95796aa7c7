/** A store in which the recorded configuration held all members in one row. */
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { auditedConfiguration } from '../features/audit/audited-configuration.ts';
import { startTestBroker } from '../testing/test-broker.ts';
import { mainMigrations } from './main.migrations.ts';
import { openDatabase } from './sqlite/open-database.ts';

it('knows after the upgrade which members an older store recorded', async () => {
  const team = await startTestBroker({ onDisk: true });
  onTestFinished(() => team.stop());
  await team.broker.close();
  const file = join(team.folder, 'main.db');
  // The activity store goes as well: it would say that the audit log was cut.
  for (const name of [file, join(team.folder, 'activity.db')])
    for (const suffix of ['', '-wal', '-shm'])
      await rename(name + suffix, `${name}.new${suffix}`).catch(() => undefined);
  const document = JSON.parse(await readFile(team.configPath, 'utf8'));
  const earlier = mainMigrations.findIndex((sql) => sql.includes('CREATE TABLE audited_member'));
  const db = openDatabase(file, 'writer', mainMigrations.slice(0, earlier));
  const recorded = auditedConfiguration(document, document.store.members, null);
  db.prepare('INSERT INTO audited_configuration (only, content) VALUES (1, ?)').run(JSON.stringify(recorded));
  db.close();
  const members = document.store.members.filter(({ name }: { name: string }) => name !== 'cy');
  for (const member of members) if (member.name === 'ben') member.instructions = 'by hand';
  await writeFile(team.configPath, JSON.stringify({ ...document, store: { members } }), { mode: 0o600 });

  await team.restart();
  const recordsOf = async () =>
    (await team.as('ada').call('audit', { query: { after: '0' } })).records.map(({ kind, subject }) => [
      kind,
      subject,
    ]);
  const found = [
    ['member_removed', 'cy'],
    ['member_changed', 'ben'],
  ];
  expect(await recordsOf()).toEqual(found);
  await team.restart();
  expect(await recordsOf()).toEqual(found);
});
