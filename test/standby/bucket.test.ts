/** Machines whose contents of files are in a bucket (docs/specification/files.md#object-storage). */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bucketName, type StrictS3, startStrictS3 } from '../../broker/storage/blobs/testing/strict-s3.ts';
import { until } from '../testing/until.ts';
import { bodiesOf, createMachines, type Machine, type Machines, push } from './machines.ts';
import { postgresForTests } from './postgres.ts';

const postgres = postgresForTests();
let machines: Machines;
let s3: StrictS3;
let first: Machine;
let second: Machine;

beforeEach(async () => {
  s3 = await startStrictS3();
  const files = { root: `s3://${bucketName}/muster` };
  machines = await createMachines(await postgres.createDatabase(), ['ada', 'ben'], { files });
  first = machines.first;
  await first.start(s3.env);
  await first.active();
  second = await machines.add('second');
  await second.start(s3.env);
}, 60_000);
afterEach(async () => {
  await machines.remove();
  await s3.stop();
});

const authorization = (at: Machine) => ({ authorization: `Bearer ${at.tokenOf('ada')}` });
const upload = (at: Machine, name: string, body = `the text of ${name}`) =>
  fetch(`${at.url}/fs/write?path=/ada/${name}`, {
    method: 'POST',
    headers: { ...authorization(at), 'content-type': 'application/octet-stream' },
    body,
  });
const read = (at: Machine, name: string) =>
  fetch(`${at.url}/fs/read/ada/${name}`, { headers: authorization(at) });
const remove = (at: Machine, name: string) =>
  fetch(`${at.url}/fs/rm?path=/ada/${name}`, { method: 'DELETE', headers: authorization(at) });

describe('a machine that takes over', { timeout: 240_000 }, () => {
  it('answers while the bucket cannot be reached, says so for files, and has them when it is back', async () => {
    expect((await upload(first, 'before.txt')).status).toBe(200);
    await s3.end();
    await first.exit('SIGTERM');
    await second.active();
    expect((await push(second, 'without files')).status).toBe(200);
    expect(await bodiesOf(second)).toEqual(['without files']);
    for (const refused of [await read(second, 'before.txt'), await upload(second, 'lost.txt')]) {
      const { reason, message } = (await refused.json()) as { reason: string; message: string };
      expect([refused.status, reason]).toEqual([503, 'files_root_unusable']);
      expect(message).toContain(`"s3://${bucketName}/muster"`);
    }
    await s3.restart();
    expect(await (await read(second, 'before.txt')).text()).toBe('the text of before.txt');
    expect((await upload(second, 'after.txt')).status).toBe(200);
    expect((await read(second, 'lost.txt')).status).toBe(404);
  });

  it('waits for a bucket that is slow', async () => {
    expect((await upload(first, 'before.txt')).status).toBe(200);
    s3.fault = () => new Promise((resolve) => setTimeout(resolve, 2000));
    await first.exit('SIGTERM');
    await second.active();
    expect((await push(second, 'while it is slow')).status).toBe(200);
    expect(await (await read(second, 'before.txt')).text()).toBe('the text of before.txt');
    expect((await upload(second, 'after.txt')).status).toBe(200);
  });

  it('keeps a content that the former one removes late', async () => {
    expect((await upload(first, 'one.txt', 'the same')).status).toBe(200);
    const copied = Promise.withResolvers<void>();
    s3.fault = ({ headers }) => (headers['x-amz-copy-source'] === undefined ? undefined : copied.promise);
    const isCopying = () => s3.requests.some((one) => one.startsWith('PUT') && one.includes('/.trash/'));
    expect((await remove(first, 'one.txt')).status).toBe(204);
    await until(isCopying, 'the first one copies the content into the trash');
    first.child.kill('SIGSTOP');
    await second.active();
    expect((await upload(second, 'two.txt', 'the same')).status).toBe(200);
    copied.resolve();
    s3.fault = null;
    first.child.kill('SIGCONT');
    expect(await first.exit()).toBe(75);
    expect(await (await read(second, 'two.txt')).text()).toBe('the same');
    expect((await upload(second, 'three.txt', 'the same')).status).toBe(200);
    expect(await (await read(second, 'three.txt')).text()).toBe('the same');
  });
});
