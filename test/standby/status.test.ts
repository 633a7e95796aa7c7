/** `muster standby` beside real machines (docs/specification/standby.md#status). */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { until } from '../testing/until.ts';
import { createMachines, type Machine, type Machines } from './machines.ts';
import { postgresForTests } from './postgres.ts';

const postgres = postgresForTests();
let machines: Machines;
beforeEach(async () => {
  await postgres.start();
  machines = await createMachines(await postgres.createDatabase(), ['ada']);
});
afterEach(() => machines.remove());

it('shows who is active and who could take over, and fails if nobody could', {
  timeout: 120_000,
}, async () => {
  const { first } = machines;
  expect(await first.run('standby')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('no broker has used the database'),
  });
  await first.start();
  await first.active();
  expect(await first.run('standby')).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/^first +active since .+ ago$/m),
    stderr: expect.stringContaining('no other machine is ready to take over'),
  });
  const second = await machines.add('second');
  await second.start();
  await until(async () => (await first.run('standby')).code === 0, 'the second machine has everything');
  expect((await first.run('standby')).stdout).toMatch(/^second +stands by with everything +\d/m);
  const doctor = async () => {
    const findings: { check: string; status: string }[] = JSON.parse(
      (await first.run('doctor', '--json')).stdout,
    );
    return findings.find(({ check }) => check === 'standby');
  };
  expect(await doctor()).toMatchObject({
    status: 'ok',
    detail: '"first" is active, and another machine could take over',
  });
  await first.exit('SIGKILL');
  await second.active();
  expect(await doctor()).toMatchObject({ status: 'warn', detail: 'no other machine is ready to take over' });
  const { active, machines: shown } = JSON.parse((await second.run('standby', '--json')).stdout);
  expect(active).toMatchObject({ name: 'second', isConfirmed: true });
  expect(shown.map(({ name }: { name: string }) => name)).toEqual(['first', 'second']);
  await second.exit('SIGTERM');
  expect(await first.run('standby')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('no machine is active'),
  });
  await postgres.crash();
  expect((await first.run('standby')).stderr).toContain(
    'the database of SVC_STANDBY_URL cannot be asked: the database cannot be reached; check the host, the port, and the network between them',
  );
});

it('a machine that stands by refuses a backup, and the active one makes it', {
  timeout: 120_000,
}, async () => {
  const { first } = machines;
  await first.start();
  await first.active();
  const second = await machines.add('second');
  await second.start();
  await until(async () => (await first.run('standby')).code === 0, 'the second machine has everything');
  const wordsOf = ({ place: { configPath, mainDbPath, activityDbPath } }: Machine) => [
    ...['--config-path', configPath],
    ...['--db', mainDbPath, '--activity-db', activityDbPath],
  ];
  const backup = (machine: Machine) =>
    machine.run('backup', join(machine.folder, 'backup.tar'), ...wordsOf(machine));
  expect(await backup(second)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('Make the backup on the active machine, which "muster standby" names'),
  });
  expect(existsSync(join(second.folder, 'backup.tar'))).toBe(false);
  expect((await second.run('doctor', '--full', ...wordsOf(second))).stdout).toMatch(/^skip +stores: copies/m);
  expect(await backup(first)).toMatchObject({ code: 0 });
});
