import { readdir, readlink } from 'node:fs/promises';
import { expect, it, onTestFinished, vi } from 'vitest';
import { bucketName, startStrictS3 } from '../../storage/blobs/testing/strict-s3.ts';
import { startFileTeam } from './testing/file-team.ts';

/** Files of uploads that this process still has open. */
async function openUploads(): Promise<string[]> {
  const files = await readdir('/proc/self/fd');
  const targets = await Promise.all(files.map((file) => readlink(`/proc/self/fd/${file}`).catch(() => '')));
  return targets.filter((target) => target.includes('.incoming/'));
}

it('a write is 503 if the store accepts connections and never answers, and the team goes on meanwhile', async () => {
  const s3 = await startStrictS3();
  onTestFinished(() => s3.stop());
  for (const [name, value] of Object.entries(s3.env)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  const members = { ada: ['admin'], ben: [] };
  const team = await startFileTeam({ root: `s3://${bucketName}`, onDisk: true, members, maxFileSize: 1e8 });
  onTestFinished(() => team.stop());
  s3.fault = ({ method }) => (method === 'PUT' ? 'hang' : undefined);
  const writing = team.put('ben', '/ben/a', new Uint8Array(8 * 1024 * 1024));
  await team.as('ada').call('push', { body: { body: 'goes on' } });
  expect(await team.names('ben', '/ben')).toEqual([]);
  const reply = await writing;
  expect([reply.status, ((await reply.json()) as { reason: string }).reason]).toEqual([
    503,
    'file_not_written',
  ]);
  if (process.platform === 'linux') expect(await openUploads()).toEqual([]);
  s3.fault = null;
  await team.write('ben', '/ben/a', 'x');
});
