/** Contents of files in an S3-compatible store (specification/files.md#object-storage). */
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openBucketPlace } from '../../storage/blobs/bucket-place.ts';
import { bucketName, type StrictS3, startStrictS3 } from '../../storage/blobs/testing/strict-s3.ts';
import { type FileTeam, startFileTeam } from './testing/file-team.ts';

const root = `s3://${bucketName}/muster`;
const members = { ada: ['admin'], ben: [] };
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const keyOf = (hash: string) => `muster/${hash.slice(0, 2)}/${hash}`;

let s3: StrictS3;
beforeEach(async () => {
  const started = await startStrictS3();
  s3 = started;
  for (const [name, value] of Object.entries(started.env)) vi.stubEnv(name, value);
  return async () => {
    vi.unstubAllEnvs();
    await started.stop();
  };
});

async function start(options: Parameters<typeof startFileTeam>[0] = {}): Promise<FileTeam> {
  const team = await startFileTeam({ root, onDisk: true, members, maxFileSize: 8 * 1024 * 1024, ...options });
  onTestFinished(() => team.stop());
  return team;
}
/** Announces a file, and sends nothing of it. */
async function announced(
  team: FileTeam,
  size: number,
): Promise<{ status: number | undefined; text: string }> {
  const writing = request(`${team.url}/fs/write?path=/ben/large`, {
    method: 'POST',
    headers: { authorization: `Bearer ${team.token('ben')}`, 'content-length': size },
  });
  onTestFinished(() => void writing.destroy());
  writing.flushHeaders();
  const [response] = (await once(writing, 'response')) as [IncomingMessage];
  return { status: response.statusCode, text: await text(response) };
}
const spooled = (team: FileTeam) => readdir(`${team.configPath}.incoming`);
const contents = async () => (await s3.keys()).filter((key) => /\/[0-9a-f]{2}\/[0-9a-f]{64}$/.test(key));
const trashed = async () => (await s3.keys()).filter((key) => key.includes('/.trash/'));
const refusalOf = async (reply: Response) => [
  reply.status,
  ((await reply.json()) as { reason: string }).reason,
];

describe('a broker whose files.root is a bucket', () => {
  it('keeps each content once under its hash, and reads it whole and in part', async () => {
    const team = await start();
    const bytes = new Uint8Array(randomBytes(700_000));
    const hash = sha256(bytes);
    await team.write('ben', '/ben/a', bytes);
    await team.write('ben', '/ben/b', bytes);
    await team.write('ben', '/ben/empty', '');
    expect(await s3.keys()).toEqual([keyOf(hash), keyOf(sha256(new Uint8Array())), 'muster/.store'].sort());
    expect(s3.requests.filter((one) => one === `PUT /${bucketName}/${keyOf(hash)}`)).toHaveLength(1);
    expect(Buffer.from(await (await team.get('ben', '/ben/a')).bytes()).equals(bytes)).toBe(true);
    expect(await (await team.get('ben', '/ben/empty')).text()).toBe('');
    const part = await team.get('ben', '/ben/b', { range: 'bytes=131000-400000' });
    expect(part.status).toBe(206);
    expect(Buffer.from(await part.bytes()).equals(bytes.subarray(131_000, 400_001))).toBe(true);
    expect(await spooled(team)).toEqual([]);
  });

  it('keeps what it acknowledged over a restart, and sweeps what nothing refers to into the trash', async () => {
    const team = await start();
    const { entry } = await team.write('ben', '/ben/a', 'kept');
    await team.write('ben', '/ben/b', 'removed');
    expect((await team.ask('ben', 'rm', '/ben/b')).status).toBe(204);
    await expect.poll(contents).toEqual([keyOf(entry.hash ?? '')]);
    expect(await trashed()).toHaveLength(1);
    await team.restart();
    expect(await (await team.get('ben', '/ben/a')).text()).toBe('kept');
  });

  it('refuses a file of more than 5 GiB before its first byte, although files.maxFileSize is larger', async () => {
    const team = await start({ maxFileSize: 6 * 1024 ** 3 });
    const largest = 5 * 1024 ** 3;
    const { status, text } = await announced(team, largest + 1);
    expect([status, JSON.parse(text)]).toMatchObject([
      413,
      { message: expect.stringContaining(String(largest)) },
    ]);
    expect(s3.requests.filter((one) => one.startsWith('PUT') && !one.includes('.store'))).toEqual([]);
  });

  it('writes a content although the answer of the store was lost, because it is there then', async () => {
    const team = await start();
    let lost = 0;
    s3.fault = ({ method, path }) => {
      if (method !== 'PUT' || path.includes('.store') || lost > 0) return undefined;
      lost += 1;
      return 'lose-answer';
    };
    await team.write('ben', '/ben/a', 'body');
    expect(lost).toBe(1);
    expect(await (await team.get('ben', '/ben/a')).text()).toBe('body');
  });

  it('accepts a content that another machine wrote at the same moment', async () => {
    const team = await start();
    const path = `/${bucketName}/${keyOf(sha256(Buffer.from('same')))}`;
    let tries = 0;
    s3.fault = ({ method, path: at }) => {
      if (method !== 'PUT' || !at.startsWith(path)) return undefined;
      tries += 1;
      return tries === 1
        ? { status: 409, code: 'ConditionalRequestConflict' }
        : { status: 412, code: 'PreconditionFailed' };
    };
    await team.write('ben', '/ben/a', 'same');
    expect(tries).toBe(2);
  });

  it('answers 503 while the store is down, keeps its other work, and goes on when the store is back', async () => {
    const team = await start();
    await team.write('ben', '/ben/a', 'before');
    await s3.end();
    expect(await refusalOf(await team.put('ben', '/ben/b', 'x'))).toEqual([503, 'file_not_written']);
    expect(await refusalOf(await team.get('ben', '/ben/a'))).toEqual([503, 'content_unreadable']);
    expect(await team.names('ben', '/ben')).toEqual(['a']);
    expect(await spooled(team)).toEqual([]);
    await s3.restart();
    expect(await (await team.get('ben', '/ben/a')).text()).toBe('before');
    await team.write('ben', '/ben/b', 'after');
  });

  it('breaks an answer whose content the store does not send completely', async () => {
    const team = await start();
    await team.write('ben', '/ben/a', new Uint8Array(600_000).fill(7));
    s3.fault = ({ method, headers }) =>
      method === 'GET' && headers.range?.startsWith('bytes=2') ? 'truncate' : undefined;
    const reply = await team.get('ben', '/ben/a');
    await expect(reply.bytes()).rejects.toThrow();
  });

  it('refuses a write whose bytes the store did not get as they were sent', async () => {
    const team = await start();
    s3.fault = ({ method, path }) =>
      method === 'PUT' && !path.includes('.store') ? { status: 400, code: 'BadDigest' } : undefined;
    expect(await refusalOf(await team.put('ben', '/ben/a', 'x'))).toEqual([503, 'file_not_written']);
    expect(await team.names('ben', '/ben')).toEqual([]);
  });

  it('reads a content that a suspended broker removed late, and puts it back when the trash is emptied', async () => {
    const team = await start();
    const { entry } = await team.write('ben', '/ben/a', 'contested');
    const hash = entry.hash ?? '';
    // Another machine removes it: first a copy, and then the content.
    const other = await removedBy(hash);
    expect(await contents()).not.toContain(keyOf(hash));
    expect(await (await team.get('ben', '/ben/a')).text()).toBe('contested');
    s3.agedByMs = 2 * 86_400_000;
    await team.restart();
    await expect.poll(trashed).not.toContain(other);
    expect(await contents()).toEqual([keyOf(hash)]);
    expect(await (await team.get('ben', '/ben/a')).text()).toBe('contested');
  });

  it('sends no removal of a content after ten minutes', async () => {
    const team = await start();
    const { entry } = await team.write('ben', '/ben/a', 'late');
    const real = Date.now;
    s3.fault = ({ method, headers }) => {
      if (method === 'PUT' && headers['x-amz-copy-source'] !== undefined)
        vi.spyOn(Date, 'now').mockImplementation(() => real() + 11 * 60_000);
      return undefined;
    };
    onTestFinished(() => void vi.restoreAllMocks());
    expect((await team.ask('ben', 'rm', '/ben/a')).status).toBe(204);
    await expect.poll(() => team.logged()).toContain('the removal comes too late');
    expect(await contents()).toEqual([keyOf(entry.hash ?? '')]);
  });

  it('ends although the store does not answer', async () => {
    const team = await start();
    await team.write('ben', '/ben/a', 'x');
    s3.fault = () => 'hang';
    expect((await team.ask('ben', 'rm', '/ben/a')).status).toBe(204);
    await team.broker.close();
    s3.fault = null;
    await team.restart();
  });
});

async function removedBy(hash: string): Promise<string> {
  const incoming = await mkdtemp(join(tmpdir(), 'muster-bucket-'));
  onTestFinished(() => rm(incoming, { recursive: true }));
  const place = await openBucketPlace({
    root,
    owner: {
      storeId: (await s3.text('muster/.store')).trim(),
      isOnDisk: true,
      sharedMark: { read: async () => null, keep: async () => undefined },
    },
    incoming,
    unreferenced: async (hashes) => hashes,
    env: process.env,
  });
  await place.remove(hash);
  place.close();
  return (await trashed())[0] ?? '';
}

describe('the start of a broker', () => {
  it.each([
    ['s3://Team_Files', 'must be a folder, or a bucket such as'],
    ['s3://other-bucket/muster', 'there is no bucket "other-bucket"; create it'],
  ])('with %s is refused with 78', async (wrong, sentence) => {
    await expect(startFileTeam({ root: wrong, onDisk: true, members })).rejects.toMatchObject({
      exitCode: 78,
      message: expect.stringContaining(sentence),
    });
  });

  it('is refused if the key may not list the bucket', async () => {
    s3.fault = ({ path }) => (path.includes('list-type') ? { status: 403, code: 'AccessDenied' } : undefined);
    await expect(startFileTeam({ root, onDisk: true, members })).rejects.toMatchObject({
      exitCode: 78,
      message: expect.stringContaining(
        'the store refuses the key (AccessDenied); it needs the rights s3:ListBucket',
      ),
    });
  });

  it('is refused if the store is down, and if contents would cross the network unencrypted', async () => {
    await s3.end();
    await expect(startFileTeam({ root, onDisk: true, members })).rejects.toMatchObject({
      exitCode: 78,
      message: expect.stringContaining('the store cannot be reached (ECONNREFUSED)'),
    });
    vi.stubEnv('AWS_ENDPOINT_URL_S3', 'http://192.0.2.1:9000');
    await expect(startFileTeam({ root, onDisk: true, members })).rejects.toMatchObject({
      exitCode: 78,
      message: expect.stringContaining('would not be encrypted; use an address with https://'),
    });
  });

  it('with the bucket of another store leaves files off', async () => {
    await start();
    const second = await start({ beginAnew: true });
    expect(second.broker.notices.join()).toContain(`"${root}" holds the files of another store`);
    expect((await second.put('ben', '/ben/a', 'x')).status).toBe(503);
  });
});
