import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readdir, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { StartUpError } from '../runtime/start-up-error.ts';
import { openKek } from './kek-file.ts';
import { modeOf, readText, tempFolder } from './testing/config-fixture.ts';

const newPath = async () => join(await tempFolder(), 'svc.json');
const base64Key = () => randomBytes(32).toString('base64');

async function stopOf(opening: Promise<unknown>): Promise<StartUpError> {
  const error = await opening.then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(StartUpError);
  return error as StartUpError;
}

describe('the key file', () => {
  it.each(['{', '{"team":1}', '\xff'])(
    'is not created for a configuration that cannot be used: %s',
    async (text) => {
      const configPath = await newPath();
      await writeFile(configPath, text, 'latin1');
      const keychain = {
        wrap: async () => Buffer.from('w'),
        unwrap: async () => ({ text: '', isStale: false }),
      };
      for (const asked of [undefined, null, keychain]) {
        await expect(openKek({ configPath, env: {}, keychain: asked as never })).rejects.toThrow(
          /The configuration/,
        );
        expect(await readdir(dirname(configPath))).toEqual(['svc.json']);
      }
    },
  );

  it('is created at the first start: the configuration path with .kek appended, 32 bytes in base64, mode 0600', async () => {
    const configPath = join(await tempFolder(), 'deep', 'svc.json');
    const kek = await openKek({ configPath, env: {} });
    expect(kek.path).toBe(`${configPath}.kek`);
    const written = (await readText(`${configPath}.kek`)).trim();
    expect(Buffer.from(written, 'base64')).toEqual(kek.key.export());
    expect(kek.key.symmetricKeySize).toBe(32);
    expect(await modeOf(`${configPath}.kek`)).toBe(0o600);
    expect(await modeOf(dirname(configPath))).toBe(0o700);
    expect(await readdir(dirname(configPath))).toEqual(['svc.json.kek']);
  });

  it('is the same key at the next start', async () => {
    const configPath = await newPath();
    const first = await openKek({ configPath, env: {} });
    const second = await openKek({ configPath, env: {} });
    expect(second.key.equals(first.key)).toBe(true);
  });

  it('is one key for all who create it at the same moment', async () => {
    const configPath = await newPath();
    const keks = await Promise.all(Array.from({ length: 20 }, () => openKek({ configPath, env: {} })));
    expect(new Set(keks.map(({ key }) => key.export().toString('hex'))).size).toBe(1);
  });

  it('has a mode wider than 0600 tightened', async () => {
    const configPath = await newPath();
    await openKek({ configPath, env: {} });
    await chmod(`${configPath}.kek`, 0o644);
    await openKek({ configPath, env: {} });
    expect(await modeOf(`${configPath}.kek`)).toBe(0o600);
  });

  it.each([
    ['empty', ''],
    ['too short', randomBytes(31).toString('base64')],
    ['too long', randomBytes(33).toString('base64')],
    ['hex', randomBytes(32).toString('hex')],
    ['with a stray character', `${base64Key().slice(0, 20)}!${base64Key().slice(21)}`],
    ['padded with a character that base64 skips', `${base64Key().slice(0, 20)}!${base64Key().slice(20)}`],
    ['base64url', Buffer.alloc(32, 0xff).toString('base64url')],
  ])('stops the start with exit code 78 and stays untouched when it is %s', async (_, content) => {
    const configPath = await newPath();
    const path = `${configPath}.kek`;
    await writeFile(path, content, { mode: 0o600 });
    await utimes(path, 1_000_000, 1_000_000);
    const error = await stopOf(openKek({ configPath, env: {} }));
    expect(error.exitCode).toBe(78);
    expect(error.message).toContain(path);
    expect(error.message).toContain('Restore it from a backup');
    if (content) expect(error.message).not.toContain(content);
    expect(await readText(path)).toBe(content);
    expect((await stat(path)).mtimeMs).toBe(1_000_000_000);
  });

  it('stops the start if it cannot be read', async () => {
    const folderInstead = await newPath();
    await mkdir(`${folderInstead}.kek`);
    expect((await stopOf(openKek({ configPath: folderInstead, env: {} }))).message).toContain('(EISDIR)');
    const loop = await newPath();
    await symlink(`${loop}.kek`, `${loop}.kek`);
    expect((await stopOf(openKek({ configPath: loop, env: {} }))).message).toContain('(ELOOP)');
  });

  it('stops the start if it cannot be created', async () => {
    const folder = await tempFolder();
    await writeFile(join(folder, 'file'), '');
    const error = await stopOf(openKek({ configPath: join(folder, 'file', 'svc.json'), env: {} }));
    expect(error.exitCode).toBe(78);
  });
});

describe('SVC_KEK', () => {
  it('overrides the file, and none is written', async () => {
    const configPath = await newPath();
    const text = base64Key();
    const kek = await openKek({ configPath, env: { SVC_KEK: text } });
    expect(kek.key.export().toString('base64')).toBe(text);
    expect(kek.path).toBeNull();
    expect(await readdir(dirname(configPath))).toEqual([]);
    await openKek({ configPath, env: {} });
    expect((await openKek({ configPath, env: { SVC_KEK: text } })).key.equals(kek.key)).toBe(true);
  });

  it.each(['', 'short', randomBytes(31).toString('base64'), randomBytes(32).toString('hex')])(
    'stops the start if it is not 32 bytes in base64, and is not quoted',
    async (text) => {
      const error = await stopOf(openKek({ configPath: await newPath(), env: { SVC_KEK: text } }));
      expect(error.exitCode).toBe(78);
      expect(error.message).toContain('SVC_KEK');
      if (text) expect(error.message).not.toContain(text);
    },
  );
});

describe('the keychain form <config>.kek.safe', () => {
  it('without a key file or SVC_KEK, stops the start with exit code 78 and creates no key', async () => {
    const configPath = await newPath();
    await writeFile(`${configPath}.kek.safe`, 'wrapped');
    const error = await stopOf(openKek({ configPath, env: {} }));
    expect(error.exitCode).toBe(78);
    expect(error.message).toContain(`${configPath}.kek.safe`);
    expect(error.message).toContain('SVC_KEK');
    expect(await readdir(dirname(configPath))).toEqual(['svc.json.kek.safe']);
  });

  it('does not matter if there is a key file or SVC_KEK', async () => {
    const configPath = await newPath();
    await writeFile(`${configPath}.kek.safe`, 'wrapped');
    await openKek({ configPath, env: { SVC_KEK: base64Key() } });
    await writeFile(`${configPath}.kek`, base64Key());
    await openKek({ configPath, env: {} });
  });
});

it('cannot be printed or serialized by accident', async () => {
  const text = base64Key();
  const kek = await openKek({ configPath: await newPath(), env: { SVC_KEK: text } });
  expect(JSON.stringify(kek)).toContain('"key":{}');
  expect(JSON.stringify(kek)).not.toContain(text);
});
