/** A PostgreSQL that fails over to its synchronous standby, which a balancer for databases does (docs/guides/several-machines.md). */
import { expect, it } from 'vitest';
import { until } from '../testing/until.ts';
import { openLine } from './database-line.ts';
import { bodiesOf, createMachines, push } from './machines.ts';
import { preparePostgres } from './postgres-server.ts';

it('a team goes on where it was when its database dies and the synchronous standby of that takes over', {
  timeout: 300_000,
}, async () => {
  await using parts = new AsyncDisposableStack();
  const postgres = await preparePostgres();
  parts.defer(() => postgres.remove());
  await postgres.start();
  const url = await postgres.createDatabase();
  const follower = await postgres.addSynchronous();
  parts.defer(() => follower.remove());
  const line = await openLine(url);
  parts.defer(() => line.close());
  const machines = await createMachines(line.url, ['ada', 'ben']);
  parts.defer(() => machines.remove());
  const { first } = machines;
  await first.start();
  await first.active();
  const second = await machines.add('second');
  await second.start();

  const acknowledged: string[] = [];
  for (let n = 0; n < 20; n += 1)
    if ((await push(first, `before ${n}`)).status === 200) acknowledged.push(`before ${n}`);
  expect(acknowledged).toHaveLength(20);

  // A database that waits for its standby confirms nothing, so nobody is told that a message is stored.
  await follower.crash();
  let isAnswered = false;
  const waiting = push(first, 'while the standby is away').then(({ status }) => {
    isAnswered = true;
    return status;
  });
  await until(async () => (await first.status('/readyz')) === 503, 'the first machine answers nobody');
  expect(isAnswered).toBe(false);
  await follower.start();
  expect(await waiting).toBe(200);
  acknowledged.push('while the standby is away');

  await postgres.crash();
  await until(async () => (await first.status('/readyz')) === 503, 'the first machine answers nobody');
  await follower.promote();
  line.leadTo(follower.urlOf(new URL(url).pathname.slice(1)));

  const answers = async () => {
    for (const machine of [first, second])
      if (!machine.hasEnded && (await machine.status('/readyz')) === 200) return machine;
    return null;
  };
  await until(async () => (await answers()) !== null, 'a machine answers the team');
  const active = (await answers()) ?? first;
  expect(await bodiesOf(active)).toEqual(acknowledged);
  expect((await push(active, 'afterwards')).status).toBe(200);
  const other = active === first ? second : first;
  if (other.hasEnded) await other.start();
  await active.exit('SIGKILL');
  await other.active();
  expect(await bodiesOf(other)).toEqual([...acknowledged, 'afterwards']);
});
