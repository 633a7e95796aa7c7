/** The disk of the database is full (docs/specification/standby.md#fence). */
import { randomBytes } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { createSmallDisk } from '../soak/small-disk.ts';
import { until } from '../testing/until.ts';
import { createMachines, push } from './machines.ts';
import { preparePostgres } from './postgres-server.ts';

/** Nothing makes it smaller. */
const newBody = () => randomBytes(15_000).toString('base64');

it('a database whose disk is full loses nothing that was acknowledged, and the team goes on when there is space', {
  timeout: 300_000,
}, async (context) => {
  const disk = await createSmallDisk('400m');
  onTestFinished(() => disk.remove());
  if (disk.fault !== null) context.skip(disk.fault);
  const postgres = await preparePostgres(disk.folder);
  onTestFinished(() => postgres.crash());
  await postgres.start();
  const machines = await createMachines(await postgres.createDatabase(), ['ada', 'ben']);
  onTestFinished(() => machines.remove());
  const { first } = machines;
  const second = await machines.add('second');
  await first.start();
  await first.active();
  await second.start();
  await until(async () => (await first.run('standby')).code === 0, 'the second one has everything');

  await disk.fill();
  const waiting: Promise<{ body: string; status: number }>[] = [];
  await until(async () => {
    const body = newBody();
    waiting.push(push(first, body).then(({ status }) => ({ body, status })));
    return (await first.status('/readyz')) === 503;
  }, 'the first machine answers nobody');
  await until(() => first.errors.includes('the database takes nothing'), 'it says why');
  expect((await push(first, newBody())).reply).toMatchObject({ reason: 'not_confirmed' });

  await disk.free();
  const answers = await Promise.all(waiting);
  await first.active();
  const acknowledged = answers.flatMap(({ body, status }) => (status === 200 ? [body] : []));
  const stored = (await first.wholeHistory('ada')).map((message) => message.body);
  expect(stored.filter((body) => acknowledged.includes(body)).toSorted()).toEqual(acknowledged.toSorted());
  expect((await push(first, 'again')).status).toBe(200);
});
