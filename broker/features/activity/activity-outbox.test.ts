import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { testFolder } from '../../storage/testing/test-store.ts';
import { createActivityOutbox } from './activity-outbox.service.ts';
import { activityNamed, type OutboxStores, openOutboxStores } from './testing/outbox-stores.ts';

const childPath = fileURLToPath(new URL('./testing/outbox-child.ts', import.meta.url));
const inMemory = ':memory:';

async function openStores(mainFile = inMemory, activityFile = inMemory): Promise<OutboxStores> {
  const stores = await openOutboxStores(mainFile, activityFile);
  onTestFinished(() => stores.close());
  return stores;
}

const outboxOf = ({ main, activity }: OutboxStores) =>
  createActivityOutbox({ main: main.units, activity: activity.units, storeId: 'store', clock: () => 5 });
const named = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, n) => `${prefix}-${n}`);

describe('the outbox between the stores', () => {
  it('carries what is staged to the activity store in order, once, and is then empty', async () => {
    const stores = await openStores();
    const names = named('row', 700);
    await stores.main.units.stage(names.map(activityNamed));
    const outbox = outboxOf(stores);
    await outbox.drain();
    await outbox.drain();
    expect(await stores.activity.units.arrived()).toEqual(names);
    expect(await stores.main.units.outboxOldest()).toEqual([]);
  });

  it('applies a row only once that was applied before and not removed', async () => {
    const stores = await openStores();
    await stores.main.units.stage(named('row', 3).map(activityNamed));
    const stuck = createActivityOutbox({
      main: { ...stores.main.units, outboxRemoveUpTo: () => Promise.reject(new Error('lost')) },
      activity: stores.activity.units,
      storeId: 'store',
      clock: () => 5,
    });
    await expect(stuck.drain()).rejects.toThrow('lost');
    expect(await stores.activity.units.arrived()).toEqual(named('row', 3));
    await stores.main.units.stage([activityNamed('row-3')]);
    await outboxOf(stores).drain();
    expect(await stores.activity.units.arrived()).toEqual(named('row', 4));
  });

  it('distinguishes rows of two stores', async () => {
    const stores = await openStores();
    for (const storeId of ['one', 'two']) {
      await stores.activity.units.applyOutbox({
        now: 5,
        rows: [{ source: `${storeId}-1`, activity: activityNamed(storeId) }],
      });
    }
    expect(await stores.activity.units.arrived()).toEqual(['one', 'two']);
  });

  it('answers calls during a run with one more run after it', async () => {
    const stores = await openStores();
    let looks = 0;
    const outbox = createActivityOutbox({
      main: {
        ...stores.main.units,
        outboxOldest: () => {
          looks += 1;
          return stores.main.units.outboxOldest();
        },
      },
      activity: stores.activity.units,
      storeId: 'store',
      clock: () => 5,
    });
    await stores.main.units.stage([activityNamed('before')]);
    const first = outbox.drain();
    // The first run has begun by now.
    await new Promise((resolve) => setImmediate(resolve));
    const staged = stores.main.units.stage([activityNamed('meanwhile')]);
    await Promise.all([first, staged, ...Array.from({ length: 50 }, () => outbox.drain())]);
    expect(await stores.activity.units.arrived()).toEqual(['before', 'meanwhile']);
    // Each run checks until nothing is left: at most twice with two rows in two runs.
    expect(looks).toBeLessThanOrEqual(4);
  });

  it('moves everything with the next call after a run that failed', async () => {
    const stores = await openStores();
    let failures = 1;
    const outbox = createActivityOutbox({
      main: stores.main.units,
      activity: {
        ...stores.activity.units,
        applyOutbox: (input) =>
          failures-- > 0 ? Promise.reject(new Error('full')) : stores.activity.units.applyOutbox(input),
      },
      storeId: 'store',
      clock: () => 5,
    });
    await stores.main.units.stage([activityNamed('row')]);
    await expect(outbox.drain()).rejects.toThrow('full');
    await outbox.drain();
    expect(await stores.activity.units.arrived()).toEqual(['row']);
  });
});

describe('a process that is killed with -9', () => {
  it.each([
    ['between stage and apply', 'apply'],
    ['between apply and remove', 'remove'],
    ['anywhere', 'nothing'],
  ])('%s leaves every staged row to arrive once, in order', async (_, where) => {
    const folder = await testFolder();
    const files = [join(folder, 'main.db'), join(folder, 'activity.db')] as const;
    const acknowledged: string[] = [];
    for (const life of [1, 2]) {
      const child = spawn(process.execPath, [childPath, ...files, `life ${life}`, where], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      onTestFinished(() => void child.kill('SIGKILL'));
      const exited = once(child, 'exit');
      const last = 20 + Math.floor(Math.random() * 40);
      let staged = 0;
      for await (const line of createInterface({ input: child.stdout! })) {
        const said: { staged?: string; stoppedAt?: string } = JSON.parse(line);
        if (said.staged !== undefined) {
          acknowledged.push(said.staged);
          staged += 1;
        }
        if (said.stoppedAt !== undefined || staged === last) child.kill('SIGKILL');
      }
      await exited;
    }
    const stores = await openStores(...files);
    await outboxOf(stores).drain();
    const arrived = await stores.activity.units.arrived();
    expect(new Set(arrived).size).toBe(arrived.length);
    // A row may have been staged although its process died before it could say so.
    const expected = new Set(acknowledged);
    expect(arrived.filter((name) => expected.has(name))).toEqual(acknowledged);
    expect(arrived.length - acknowledged.length).toBeLessThanOrEqual(2);
    expect(await stores.main.units.outboxOldest()).toEqual([]);
  });
});
