/** The promise of several machines, in a short form (docs/guides/security.md#promises). */
import { readFile } from 'node:fs/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { bodiesOf, createMachines, type Machines, push } from './machines.ts';
import { postgresForTests } from './postgres.ts';

const postgres = postgresForTests();
let machines: Machines;
beforeEach(async () => {
  machines = await createMachines(await postgres.createDatabase(), ['ada', 'ben']);
});
afterEach(() => machines.remove());

it('another machine has messages, members, and tokens when the active one was killed, and gives them back', {
  timeout: 120_000,
}, async () => {
  const { first } = machines;
  await first.start();
  await first.active();
  const second = await machines.add('second');
  await second.start();
  for (let n = 0; n < 20; n += 1) expect((await push(first, `message ${n}`)).status).toBe(200);
  const role = { title: 'Developer', description: '' };
  expect((await first.ask('ada', 'POST', '/members', { name: 'cy', role, permissions: [] })).status).toBe(
    201,
  );
  expect(await second.status('/healthz')).toBe(200);
  await expect.poll(async () => (await second.ask('ada', 'GET', '/history')).status).toBe(200);
  expect(await bodiesOf(second)).toHaveLength(20);
  expect(await second.status('/readyz')).toBe(503);
  await first.exit('SIGKILL');
  await second.active();
  expect(await bodiesOf(second)).toEqual(Array.from({ length: 20 }, (_, n) => `message ${n}`));
  expect((await second.ask('ben', 'GET', '/roster')).reply).toMatchObject({
    teammates: [{ name: 'ada' }, { name: 'ben' }, { name: 'cy' }],
  });
  expect(await readFile(second.place.configPath)).toEqual(await readFile(first.place.configPath));

  // And back, after a planned stop.
  await push(second, 'of the second');
  await first.start();
  expect(await first.status('/readyz')).toBe(503);
  expect(await second.exit('SIGTERM')).toBe(0);
  await first.active();
  expect((await bodiesOf(first)).at(-1)).toBe('of the second');
});
