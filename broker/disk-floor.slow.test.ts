/** A member that fills the disk: the floor is there for logins, removals, and pruning (specification/api.md#growth). */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { describeWithSmallDisk, smallDisk } from '#platform/testing/small-disk.ts';
import { createBroker } from './create-broker.ts';
import { keptLog } from './storage/testing/test-store.ts';
import { startTestBroker } from './testing/test-broker.ts';

const text = 'x'.repeat(60_000);

describeWithSmallDisk('a member that fills the disk', () => {
  it('is refused before the disk is full, managers are told, and a manager can still remove it', async () => {
    const team = await startTestBroker({ members: { ada: ['admin'], mal: [], 'mal-2': [], 'mal-3': [] } });
    onTestFinished(() => team.stop());
    // The floor follows the size of the disk, and three members may add less than 200 MiB.
    const folder = await smallDisk('600m');
    await writeFile(join(folder, 'other'), Buffer.alloc(400 * 1024 * 1024));
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
});
