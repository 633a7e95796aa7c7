/** The active machine's disk is full: another machine takes over if it has everything (docs/specification/standby.md#lease). */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSmallDisk } from '../soak/small-disk.ts';
import { until } from '../testing/until.ts';
import { bodiesOf, createMachines, type Machine, type Machines, push } from './machines.ts';
import { postgresForTests } from './postgres.ts';

const postgres = postgresForTests();
let machines: Machines;
let first: Machine;

beforeEach(async () => {
  await postgres.start();
  machines = await createMachines(await postgres.createDatabase(), ['ada', 'ben']);
  first = machines.first;
});
afterEach(async () => {
  await first.exit('SIGKILL');
  await machines.remove();
});

/** As long as they are, some of them need space. */
const body = (n: number) => `${n} `.padEnd(20_000, 'long ');

/** Posts until a post has another answer, and returns the texts that were acknowledged, and that answer. */
async function postUntilRefused(
  at: Machine,
  from: number,
): Promise<{ acknowledged: string[]; reply: unknown }> {
  const acknowledged: string[] = [];
  for (let n = from; ; n += 1) {
    const { status, reply } = await push(at, body(n));
    if (status !== 200) return { acknowledged, reply };
    acknowledged.push(body(n));
  }
}

describe('an active machine whose disk is full', { timeout: 300_000 }, () => {
  it('goes on reading while it is alone, and ends when another machine has everything', async (context) => {
    const second = await machines.add('second');
    const disk = await createSmallDisk('64m', second.folder);
    if (disk.fault !== null) context.skip(disk.fault);
    try {
      await first.start();
      await first.active();
      await second.start();
      await until(async () => (await first.run('standby')).code === 0, 'the second one has everything');
      await first.exit('SIGTERM');
      await second.active();

      await disk.fill();
      const { acknowledged, reply } = await postUntilRefused(second, 0);
      expect(reply).toMatchObject({ reason: 'storage_failed' });
      await until(async () => {
        expect((await push(second, body(0))).status).toBe(503);
        return second.errors.includes('no other machine has everything');
      }, 'it says that nobody can take over');
      expect(await bodiesOf(second)).toEqual(acknowledged);

      await first.start();
      expect(await second.exit()).toBe(75);
      await first.active();
      expect(await bodiesOf(first)).toEqual(acknowledged);
      expect((await push(first, body(acknowledged.length))).status).toBe(200);

      await disk.free();
      await second.start();
      await until(async () => (await first.run('standby')).code === 0, 'the second one has everything again');
    } finally {
      await second.exit('SIGKILL');
      await disk.remove();
    }
  });
});

it('a machine that starts with a full disk says so, and has everything when there is space', {
  timeout: 300_000,
}, async (context) => {
  const second = await machines.add('second');
  const disk = await createSmallDisk('64m', second.folder);
  if (disk.fault !== null) context.skip(disk.fault);
  try {
    await first.start();
    await first.active();
    // A disk without anything on it cannot be filled.
    await writeFile(join(second.folder, 'other'), 'x');
    await disk.fill();
    await second.start();
    await until(() => second.errors.includes('the disk of this machine is full'), 'it says why');
    expect((await first.run('standby')).stdout).toMatch(/^second +lacks something; see its log/m);
    expect(second.hasEnded).toBe(false);
    await disk.free();
    await until(async () => (await first.run('standby')).code === 0, 'the second one has everything');
  } finally {
    await second.exit('SIGKILL');
    await disk.remove();
  }
});
