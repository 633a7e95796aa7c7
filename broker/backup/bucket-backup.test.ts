import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { startFileTeam } from '../features/files/testing/file-team.ts';
import { bucketName, startStrictS3 } from '../storage/blobs/testing/strict-s3.ts';
import { tarTarget } from './backup-target.ts';
import { checkBroker } from './check-broker.ts';
import { makeBackup } from './make-backup.ts';
import { restoreBackup } from './restore-backup.ts';

const ignore = () => undefined;

async function setUp() {
  const s3 = await startStrictS3();
  onTestFinished(() => s3.stop());
  for (const [name, value] of Object.entries(s3.env)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  const folder = await mkdtemp(join(tmpdir(), 'muster-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const team = await startFileTeam({
    root: `s3://${bucketName}/muster`,
    onDisk: true,
    members: { ada: ['admin'], ben: [] },
  });
  onTestFinished(() => team.stop());
  const placeIn = (at: string) => ({
    configPath: join(at, 'svc.json'),
    mainPath: join(at, 'main.db'),
    activityPath: join(at, 'activity.db'),
  });
  const backup = async (name: string) =>
    makeBackup({
      place: placeIn(team.folder),
      target: await tarTarget(join(folder, name)),
      key: null,
      version: '1',
      now: Date.now(),
      onProgress: ignore,
    });
  return { s3, folder, team, placeIn, backup };
}

it('a backup copies contents from the bucket, and a restore puts them into a folder', async () => {
  const { folder, team, placeIn, backup } = await setUp();
  const { entry } = await team.write('ben', '/ben/a', new Uint8Array(700_000).fill(9));
  await team.write('ben', '/ben/empty', '');
  expect(await backup('team.tar')).toMatchObject({ copied: 2, damaged: [] });
  const again = placeIn(join(folder, 'again'));
  const restored = await restoreBackup({
    source: join(folder, 'team.tar'),
    snapshot: undefined,
    place: again,
    filesRoot: undefined,
    openKey: async () => null,
    now: Date.now(),
    onProgress: ignore,
  });
  expect(restored).toMatchObject({ contents: 2, filesRoot: join(folder, 'again', 'files') });
  expect(JSON.parse(await readFile(again.configPath, 'utf8')).files.root).toBe('files');
  const hash = entry.hash ?? '';
  expect((await readFile(join(folder, 'again', 'files', hash.slice(0, 2), hash))).length).toBe(700_000);
});

it('a restore into a bucket is refused, and places nothing', async () => {
  const { folder, team, placeIn, backup } = await setUp();
  await team.write('ben', '/ben/a', 'x');
  await backup('team.tar');
  const again = placeIn(join(folder, 'again'));
  await expect(
    restoreBackup({
      source: join(folder, 'team.tar'),
      snapshot: undefined,
      place: again,
      filesRoot: `s3://${bucketName}/again`,
      openKey: async () => null,
      now: Date.now(),
      onProgress: ignore,
    }),
  ).rejects.toMatchObject({
    name: 'BackupError',
    message: expect.stringContaining('a restore puts contents of files into a folder. Name one'),
  });
  await expect(readdir(join(folder, 'again'))).rejects.toMatchObject({ code: 'ENOENT' });
});

it('a check names contents that the bucket lacks, and both say that it cannot be reached', async () => {
  const { s3, team, placeIn, backup } = await setUp();
  await team.write('ben', '/ben/a', 'x');
  const place = placeIn(team.folder);
  expect(await checkBroker(place, ignore)).toMatchObject({ blobs: 1, blobFaults: [] });
  s3.fault = ({ method, path }) =>
    method === 'HEAD' && !path.includes('.') ? { status: 404, code: 'NotFound' } : undefined;
  expect((await checkBroker(place, ignore)).blobFaults).toEqual([
    'the content of /ben/a cannot be read (ENOENT)',
  ]);
  s3.fault = ({ path }) => (path.includes('list-type') ? { status: 403, code: 'AccessDenied' } : undefined);
  const refused = {
    name: 'BackupError',
    message: expect.stringContaining('it needs the rights s3:ListBucket'),
  };
  await expect(checkBroker(place, ignore)).rejects.toMatchObject(refused);
  await expect(backup('refused.tar')).rejects.toMatchObject(refused);
});
