import { watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { DeviceAuthorization } from '#protocol/enrollment.ts';
import { prepareServedBroker, type ServedBroker } from '../../../test/crash/served-broker.ts';
import { storeRows } from '../../testing/store-rows.ts';

let broker: ServedBroker;
beforeEach(async () => {
  broker = await prepareServedBroker(['ada']);
});
afterEach(() => broker.remove());

const post = (path: string, body: unknown) =>
  fetch(broker.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${broker.token('ada')}` },
    body: JSON.stringify(body),
  });

/**
 * The interruptions of the approval: kill -9 when the configuration's temporary file appears, when it is renamed,
 * or a little later.
 */
const kills: ((kill: () => void, name: string) => void)[] = [
  (kill, name) => name.endsWith('.tmp') && kill(),
  (kill, name) => name === 'svc.json' && kill(),
  (kill, name) => name === 'main.db-wal' && kill(),
  (kill, name) => name.endsWith('.tmp') && setImmediate(kill),
];

it('shows member and token together or not at all, also after kill -9 in the middle of an approval', async () => {
  const folder = dirname(broker.mainDbPath);
  const outcomes = new Set<string>();
  for (const [round, look] of kills.entries()) {
    await broker.start();
    const device = (await (await post('/enroll', {})).json()) as DeviceAuthorization;
    const member = `box${round}`;
    const killed = Promise.withResolvers<void>();
    let isKilled = false;
    const kill = () => {
      if (isKilled) return;
      isKilled = true;
      broker.kill().then(killed.resolve, killed.reject);
    };
    const watcher = watch(folder, (_, name) => look(kill, name ?? ''));
    const role = { title: 'Agent' };
    const reply = await post('/enroll/approve', {
      mode: 'create',
      userCode: device.userCode,
      memberName: member,
      role,
      permissions: [],
    }).catch(() => null);
    kill();
    await killed.promise;
    watcher.close();

    await broker.start();
    const polled = await post('/enroll/poll', { deviceCode: device.deviceCode });
    const answer = (await polled.json()) as { error?: string; token?: string };
    const names = JSON.parse(await readFile(join(folder, 'svc.json'), 'utf8')).store.members.map(
      ({ name }: { name: string }) => name,
    );
    const tokens = storeRows(broker.mainDbPath, `SELECT id FROM token WHERE member = '${member}'`);
    if (names.includes(member)) {
      expect(polled.status).toBe(200);
      expect(tokens).toHaveLength(1);
      const roster = await fetch(`${broker.url}/roster`, {
        headers: { authorization: `Bearer ${answer.token}` },
      });
      expect(roster.status).toBe(200);
    } else {
      expect(reply?.status).not.toBe(200);
      expect(answer.error).toBe('authorization_pending');
      expect(tokens).toHaveLength(0);
      const again = { mode: 'create', userCode: device.userCode, memberName: member, role, permissions: [] };
      expect((await post('/enroll/approve', again)).status).toBe(200);
    }
    outcomes.add(names.includes(member) ? 'both' : 'neither');
    await broker.kill();
  }
  expect(outcomes.size).toBeGreaterThan(0);
});
