import { rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { describeWithSmallDisk, smallDisk } from '#platform/testing/small-disk.ts';
import { createBroker } from '../create-broker.ts';
import { startTestBroker } from '../testing/test-broker.ts';
import { keptLog, openTestStore, testFolder } from './testing/test-store.ts';

describe.each([
  ['in memory', async (): Promise<string> => ':memory:'],
  ['in a file', async (): Promise<string> => join(await testFolder(), 'test.db')],
] as const)('a store %s without space', (_, place) => {
  it('answers writes with unavailable, keeps reading, writes nothing by half, and continues when there is space', async () => {
    const { log, lines } = keptLog();
    const { units } = await openTestStore(await place(), log);
    const pages = Number(await units.writerPragma({ name: 'page_count' }));
    await units.writerPragma({ name: `max_page_count = ${pages + 20}` });

    const kept: string[] = [];
    const settled = await Promise.allSettled(
      Array.from({ length: 60 }, async (_, n) => {
        await units.add({ name: `item ${n}`, bulk: 5000 });
        kept.push(`item ${n}`);
      }),
    );
    const refused = settled.filter((answer) => answer.status === 'rejected');
    expect(refused.length).toBeGreaterThan(30);
    for (const { reason } of refused) {
      expect(reason).toMatchObject({
        code: 'unavailable',
        reason: 'storage_failed',
      });
    }
    expect(await units.names()).toEqual(kept);
    expect(lines()[0]).toMatchObject({ unit: 'add', cause: expect.stringMatching(/^SQLITE_FULL: /) });

    await units.writerPragma({ name: 'max_page_count = 1000000' });
    await units.add({ name: 'after', bulk: 5000 });
    expect(await units.names()).toEqual([...kept, 'after']);
    expect(await units.writerPragma({ name: 'integrity_check' })).toBe('ok');
  });
});

describeWithSmallDisk('a broker whose disk is full', () => {
  it('answers pushes with 503 and shows nobody a part of them; it continues by itself when there is space', async () => {
    const team = await startTestBroker();
    const folder = await smallDisk('4m');
    const { log } = keptLog();
    const options = {
      configPath: team.configPath,
      dbPath: join(folder, 'main.db'),
      activityDbPath: join(folder, 'activity.db'),
      env: {},
      log,
    };
    const broker = await createBroker(options);
    const headers = { authorization: `Bearer ${team.token('ada')}`, host: 'localhost' };
    const push = (body: string) =>
      broker.inject({ method: 'POST', url: '/push', headers, payload: { body } });
    const history = async (): Promise<string[]> => {
      const reply = await broker.inject({ method: 'GET', url: '/history?limit=500', headers });
      return reply.json().messages.map(({ body }: { body: string }) => body.slice(0, 5));
    };

    await push('first');
    const ballast = join(folder, 'ballast');
    const { bavail, bsize } = await statfs(folder);
    await writeFile(ballast, Buffer.alloc(bavail * bsize - 500_000));
    const accepted: string[] = [];
    const statuses = new Set<number>();
    for (let n = 100; n < 160; n++) {
      // Several at a time: they share a commit, and are lost or kept with it.
      const replies = await Promise.all(['a', 'b', 'c'].map((x) => push(`${n}-${x}`.padEnd(20_000, '.'))));
      for (const [index, { statusCode }] of replies.entries()) {
        statuses.add(statusCode);
        if (statusCode === 200) accepted.unshift(`${n}-${'abc'[index]}`);
      }
    }
    expect([...statuses].sort()).toEqual([200, 503]);
    expect(await history()).toEqual([...accepted, 'first']);

    await rm(ballast);
    expect((await push('after')).statusCode).toBe(200);
    await broker.close();
    const again = await createBroker(options);
    onTestFinished(() => again.close());
    onTestFinished(() => team.stop());
    const reply = await again.inject({ method: 'GET', url: '/history?limit=500', headers });
    expect(reply.json().messages.map(({ body }: { body: string }) => body.slice(0, 5))).toEqual([
      'after',
      ...accepted,
      'first',
    ]);
  });

  it('closes in order, and has everything when it is opened again', async () => {
    const folder = await smallDisk('1m');
    const file = join(folder, 'test.db');
    const { log, lines } = keptLog();
    const store = await openTestStore(file, log);
    for (let n = 0; n < 4; n++) await store.units.add({ name: `${n}`, bulk: 100_000 });
    const ballast = join(folder, 'ballast');
    // As much as there is space for.
    await writeFile(ballast, Buffer.alloc(4_000_000)).catch(() => undefined);
    await store.close();
    expect(lines()).toEqual([]);
    await rm(ballast);
    expect(await (await openTestStore(file)).units.names()).toEqual(['0', '1', '2', '3']);
  });
});
