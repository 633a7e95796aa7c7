/** A member that fills the disk: the floor is there for logins, removals, and pruning (specification/api.md#growth). */
import { statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { describeWithSmallDisk, smallDisk } from '#platform/testing/small-disk.ts';
import { createBroker } from './create-broker.ts';
import { keptLog } from './storage/testing/test-store.ts';
import { startTestBroker } from './testing/test-broker.ts';

const text = 'x'.repeat(60_000);
const MiB = 1024 * 1024;

/** Starts a broker whose stores are on a disk of 600 MiB. */
async function startOnSmallDisk(members: Record<string, string[]>) {
  const team = await startTestBroker({ members });
  onTestFinished(() => team.stop());
  const folder = await smallDisk('600m');
  const { log, lines } = keptLog();
  const broker = await createBroker({
    configPath: team.configPath,
    dbPath: join(folder, 'main.db'),
    activityDbPath: join(folder, 'activity.db'),
    env: {},
    log,
  });
  onTestFinished(() => broker.close());
  const ask = async (who: string, method: 'GET' | 'POST' | 'DELETE', url: string, payload?: object) => {
    const headers = { authorization: `Bearer ${team.token(who)}`, host: 'localhost' };
    const reply = await broker.inject({ method, url, headers, ...(payload && { payload }) });
    return { status: reply.statusCode, body: reply.body === '' ? null : reply.json() };
  };
  return { folder, lines, ask };
}

describeWithSmallDisk('a member that fills the disk', () => {
  it('is refused before the disk is full, managers are told, and a manager can still remove it', async () => {
    // The floor follows the size of the disk, and three members may add less than 200 MiB.
    const { folder, lines, ask } = await startOnSmallDisk({
      ada: ['admin'],
      mal: [],
      'mal-2': [],
      'mal-3': [],
    });
    await writeFile(join(folder, 'other'), Buffer.alloc(400 * MiB));
    const lowDisks = async () => (await ask('ada', 'GET', '/attention')).body.lowDisks;
    expect(await lowDisks()).toBeUndefined();
    let refused: { status: number; body: { reason?: string } } | null = null;
    let wasTold = false;
    for (let n = 0; refused === null; n++) {
      const reply = await ask(['mal', 'mal-2', 'mal-3'][n % 3] ?? '', 'POST', '/push', {
        to: 'ada',
        body: text,
      });
      if (reply.status !== 200) refused = reply;
      if (n % 20 === 0) wasTold ||= (await lowDisks()) !== undefined;
    }
    expect(refused).toMatchObject({ status: 503, body: { reason: 'disk_nearly_full' } });
    expect(wasTold).toBe(true);
    expect(lines().some(({ msg }) => msg === 'the disk of a store is nearly full')).toBe(true);
    expect((await ask('mal', 'GET', '/attention')).body.lowDisks).toBeUndefined();
    expect(
      (await ask('ada', 'POST', '/members', { name: 'cy', role: { title: 'x' }, permissions: [] })).status,
    ).toBe(201);
    expect((await ask('ada', 'DELETE', '/members/mal')).status).toBe(204);
    expect((await ask('mal', 'POST', '/push', { body: 'x' })).status).toBe(401);
  });

  it('cannot do it with activity, which stops while messages still have space', async () => {
    const { folder, ask } = await startOnSmallDisk({ ada: ['admin'], mal: [] });
    const { bavail, bsize } = await statfs(folder);
    await writeFile(join(folder, 'other'), Buffer.alloc(bavail * bsize - 24 * MiB));
    const event = { kind: 'objective_open', ts: 1, objectiveId: 'obj_0000000000' };
    // The broker has looked at the disk since it was filled.
    const free = async () => (await ask('ada', 'GET', '/attention')).body.lowDisks?.[0].freeBytes;
    await expect.poll(free).toBeLessThan(25 * MiB);
    expect(await ask('mal', 'POST', '/members/mal/activity', { events: [event] })).toMatchObject({
      status: 503,
      body: { reason: 'disk_nearly_full' },
    });
    expect((await ask('mal', 'POST', '/push', { body: text })).status).toBe(200);
  });
});
