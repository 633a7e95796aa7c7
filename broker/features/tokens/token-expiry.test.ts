import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { hashToken, mintToken } from '../../security/token.ts';
import { startTestBroker, type TestBroker } from '../../testing/test-broker.ts';
import { openTestStream } from '../../testing/test-stream.ts';

let now: number;
let team: TestBroker;
beforeEach(async () => {
  now = Date.UTC(2026, 1, 1);
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  team = await startTestBroker({ clock: () => now, onDisk: true });
});
afterEach(async () => {
  await team.stop();
  vi.useRealTimers();
});

it('stops an expired token at once, ends the streams that it opened within one second, and deletes its row', async () => {
  const token = mintToken();
  await team.broker.close();
  const db = new DatabaseSync(join(team.folder, 'main.db'));
  db.prepare(
    `INSERT INTO token (id, member, hash, label, origin, created_at, expires_at) VALUES (?, 'ben', ?, '', 'enroll', ?, ?)`,
  ).run(crypto.randomUUID(), hashToken(token), now, now + 60_000);
  db.close();
  await team.restart();

  const asHolder = () => fetch(`${team.url}/session`, { headers: { authorization: `Bearer ${token}` } });
  expect(await (await asHolder()).json()).toMatchObject({ member: 'ben', expiresAt: now + 60_000 });
  const stream = await openTestStream(`${team.url}/subscribe?name=ben`, token);
  const others = await team.stream('ben');
  now += 60_000;
  expect((await asHolder()).status).toBe(401);
  vi.advanceTimersByTime(1000);
  await stream.ended;
  expect((await team.as('ben').call('tokens', { params: { name: 'ben' } })).tokens).toHaveLength(1);
  await team.as('ada').call('push', { body: { to: 'ben', body: 'x' } });
  await others.until((frames) => frames.some(({ event }) => event === 'message'));

  await team.broker.close();
  const after = new DatabaseSync(join(team.folder, 'main.db'), { readOnly: true });
  expect(after.prepare(`SELECT count(*) AS n FROM token WHERE member = 'ben'`).get()).toEqual({ n: 1 });
  after.close();
});
