import { execFileSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { MountedFileError } from '#platform/mounted-file.ts';
import { replacePrivateFile } from '#platform/private-file.ts';
import { replaceFileSync } from '#platform/synced-file.ts';
import { describeWithSmallDisk, mountOnItself } from '#platform/testing/small-disk.ts';
import { turnHttpsOn } from '../../bin/change-setup.ts';
import { checkConfig } from '../../bin/doctor/file-checks.ts';
import { refuseToOverwrite } from '../../bin/write-first-config.ts';
import { startTestBroker } from '../testing/test-broker.ts';
import { openPlatformOverlay } from './platform-overlay.ts';
import { configFile, openAt, plaintextDocument, readText, tempFolder } from './testing/config-fixture.ts';

const remedy = 'the folder that contains "svc.json" instead of the file';

/** A file without secrets in plaintext, so that nothing has to be migrated. */
async function settledFile(): Promise<string> {
  const path = await configFile();
  await openAt(path);
  return path;
}

describeWithSmallDisk('a configuration that is mounted as a single file', () => {
  it('is refused over HTTP with the cause and the remedy, and stays as it is', async () => {
    const team = await startTestBroker();
    try {
      using _ = mountOnItself(team.configPath);
      const before = await readText(team.configPath);
      const reply = await team.fetch('ada', '/team', {
        method: 'PATCH',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ brief: 'other' }),
      });
      expect(reply.status).toBe(503);
      const body = (await reply.json()) as { error: string; reason: string; message: string };
      expect(body).toMatchObject({ error: 'unavailable', reason: 'configuration_mounted' });
      expect(body.message).toContain('is mounted as a single file');
      expect(body.message).toContain(`mount ${remedy}`);
      expect(await readText(team.configPath)).toBe(before);
      expect(readdirSync(team.folder).filter((name) => name.endsWith('.tmp'))).toEqual([]);
    } finally {
      await team.stop();
    }
  });

  it('is a problem that startup names, with the risk', async () => {
    const path = await settledFile();
    expect((await openAt(path)).problems).toEqual([]);
    using _ = mountOnItself(path);
    const { problems } = await openAt(path);
    expect(problems).toHaveLength(1);
    expect(problems[0]?.field).toBe('mount');
    expect(problems[0]?.message).toContain(`Mount ${remedy}`);
    expect(problems[0]?.message).toContain('half a file');
  });

  it('is found below a folder whose name has spaces and backslashes', async () => {
    const folder = join(await tempFolder(), 'a b\\c');
    await mkdir(folder);
    const path = join(folder, 'svc.json');
    writeFileSync(path, 'old');
    using _ = mountOnItself(path);
    await expect(replacePrivateFile(path, 'new')).rejects.toThrow(MountedFileError);
    expect(() => replaceFileSync(path, Buffer.from('new'), 0o600)).toThrow(MountedFileError);
    expect(readdirSync(folder)).toEqual(['svc.json']);
    expect(await readText(path)).toBe('old');
  });

  it('is not confused with a folder that is a mount point', async () => {
    const path = await settledFile();
    const folder = dirname(path);
    execFileSync('mount', ['--bind', folder, folder]);
    try {
      const store = await openAt(path);
      expect(store.problems).toEqual([]);
      await store.update((config) => ({ ...config, team: { ...config.team, brief: 'other' } }));
      expect(await readText(path)).toContain('"brief": "other"');
    } finally {
      execFileSync('umount', ['--lazy', folder]);
    }
  });

  it('stops the start with the remedy if secrets have to be migrated', async () => {
    const path = await configFile(plaintextDocument());
    using _ = mountOnItself(path);
    await expect(openAt(path)).rejects.toThrow(`Mount ${remedy}. Then start again.`);
  });

  it('is named by muster setup and muster setup --https', async () => {
    const path = await settledFile();
    using _ = mountOnItself(path);
    await expect(refuseToOverwrite(path)).rejects.toThrow(`Mount ${remedy}`);
    const work = turnHttpsOn({ 'config-path': path, json: true }, {});
    await expect(work).rejects.toThrow(`mount ${remedy}`);
    await expect(work).rejects.toMatchObject({ name: 'CommandFailure' });
  });

  it('is named by muster doctor', async () => {
    const path = await settledFile();
    const namesOf = async () => (await checkConfig([path], true)).findings.map(({ check }) => check);
    expect(await namesOf()).not.toContain('configuration mount');
    using _ = mountOnItself(path);
    expect(await namesOf()).toContain('configuration mount');
  });

  it('has a platform file beside it to which the same applies', async () => {
    const path = await settledFile();
    const overlayPath = `${path}.platform.json`;
    const jwt = {
      issuer: 'https://id.example',
      audience: 'team:6f1b0f6e-8a58-4b7e-9c57-0a6c2f7d1f11',
      jwksUrl: 'https://id.example/jwks',
    };
    writeFileSync(overlayPath, JSON.stringify({ jwt }));
    using _ = mountOnItself(overlayPath);
    const overlay = await openPlatformOverlay(path);
    for (const next of [jwt, null])
      await expect(overlay.write(next)).rejects.toMatchObject({ reason: 'configuration_mounted' });
    expect(overlay.jwt).toMatchObject(jwt);
  });
});
