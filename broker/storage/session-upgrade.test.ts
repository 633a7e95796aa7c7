/** A store from before sessions had devices and secrets, and before push subscriptions had credentials. */
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { hashSessionCookie, mintSessionCookie } from '../security/session-cookie.ts';
import { withCookie } from '../testing/test-authenticator.ts';
import { startTestBroker } from '../testing/test-broker.ts';
import { mainMigrations } from './main.migrations.ts';
import { openDatabase } from './sqlite/open-database.ts';

it('keeps the sessions of an older store, and removes push subscriptions whose credential nobody knows', async () => {
  const team = await startTestBroker({ onDisk: true });
  onTestFinished(() => team.stop());
  await team.broker.close();
  const file = join(team.folder, 'main.db');
  for (const suffix of ['', '-wal', '-shm'])
    await rename(file + suffix, `${file}.new${suffix}`).catch(() => undefined);
  const earlier = mainMigrations.findIndex((sql) => sql.includes('session ADD COLUMN device'));
  const db = openDatabase(file, 'writer', mainMigrations.slice(0, earlier));
  const cookie = mintSessionCookie();
  const now = Date.now();
  db.prepare('INSERT INTO session VALUES (?, ?, ?, ?, ?, ?)').run(
    crypto.randomUUID(),
    hashSessionCookie(cookie),
    'ben',
    now,
    now,
    now + 60_000,
  );
  db.prepare('INSERT INTO push_subscription VALUES (?, ?, ?, ?, ?, ?)').run(
    crypto.randomUUID(),
    'ben',
    'https://push.example/x',
    'x',
    'y',
    now,
  );
  db.close();

  await team.restart();
  const reply = await withCookie(team, `svc_session=${cookie}`, '/sessions');
  expect(await reply.json()).toMatchObject({
    sessions: [{ device: 'unknown device', address: '127.0.0.1', bound: false, current: true }],
  });
  expect(await team.as('ben').call('pushSubscriptions', {})).toEqual({ subscriptions: [] });
});
