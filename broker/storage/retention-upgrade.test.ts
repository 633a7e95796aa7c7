/** A store from before there was retention. */
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { runRetention, setRetention } from '../features/retention/testing/run-retention.ts';
import { startTestBroker } from '../testing/test-broker.ts';
import { mainMigrations } from './main.migrations.ts';
import { openDatabase } from './sqlite/open-database.ts';

it('keeps everything of an older store, and removes from it once a rule is set', async () => {
  const team = await startTestBroker({ onDisk: true });
  onTestFinished(() => team.stop());
  await team.broker.close();
  const file = join(team.folder, 'main.db');
  for (const suffix of ['', '-wal', '-shm'])
    await rename(file + suffix, `${file}.new${suffix}`).catch(() => undefined);
  const earlier = mainMigrations.findIndex((sql) => sql.includes('message_floor'));
  const db = openDatabase(file, 'writer', mainMigrations.slice(0, earlier));
  const insert = db.prepare(
    `INSERT INTO message (id, ts, sender, recipient, scope, title, body, level, data, attachments)
     VALUES (?, ?, 'ada', 'ben', 'dm:ada:ben', NULL, ?, 'info', '{}', '[]')`,
  );
  for (let n = 0; n < 30; n++) {
    const id = `019a1b2c-3d4e-7f00-8a1b-${String(n).padStart(12, '0')}`;
    const { lastInsertRowid } = insert.run(id, 1_000 + n, `${n} old ${'x'.repeat(60_000)}`);
    for (const member of ['ada', 'ben'])
      db.prepare('INSERT INTO addressed (member, seq) VALUES (?, ?)').run(member, lastInsertRowid);
  }
  db.exec("INSERT INTO conversation VALUES ('ben', 'dm:ada:ben', 1, 30)");
  db.close();

  await team.restart();
  const old = async () =>
    (await team.as('ben').call('history', { query: { with: 'ada' } })).messages.map(({ body }) =>
      Number.parseInt(body, 10),
    );
  expect(await old()).toHaveLength(30);
  await setRetention(team, { messages: { maxBytes: 2 ** 20 } });
  await runRetention(team);
  expect(await old()).toEqual(Array.from({ length: 17 }, (_, n) => 29 - n));
  await setRetention(team, { messages: { days: 1 } });
  await runRetention(team);
  // The newest message of the store always stays.
  expect(await old()).toEqual([29]);
});
