import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { StartUpError } from '../runtime/start-up-error.ts';
import { openKek } from './kek-file.ts';
import type { Keychain } from './keychain.ts';
import { modeOf, readText, tempFolder } from './testing/config-fixture.ts';

/** The keychain of one machine, which does not open what another one wrapped. */
function machine(name: string, more: Partial<Keychain> = {}): Keychain {
  return {
    wrap: async (text) => Buffer.from(`${name}:${Buffer.from(text).toString('hex')}`),
    async unwrap(bytes) {
      const [owner, hex = ''] = Buffer.from(bytes).toString().split(':');
      if (owner !== name) throw new Error('not of this keychain');
      return { text: Buffer.from(hex, 'hex').toString(), isStale: false };
    },
    ...more,
  };
}
const newPath = async () => join(await tempFolder(), 'svc.json');
const base64Key = () => randomBytes(32).toString('base64');
const filesAt = (configPath: string) => readdir(dirname(configPath));
const stopOf = (opening: Promise<unknown>): Promise<string> =>
  opening.then(
    () => 'it opened',
    (error: unknown) =>
      error instanceof StartUpError ? `${error.exitCode} ${error.message}` : String(error),
  );

it('wraps the plain key, and deletes the plain file only once the broker has started with it', async () => {
  const configPath = await newPath();
  const before = await openKek({ configPath, env: {} });
  const kek = await openKek({ configPath, env: {}, keychain: machine('here') });
  expect(kek).toMatchObject({ place: 'keychain', path: `${configPath}.kek.safe`, notices: [] });
  expect(kek.key.equals(before.key)).toBe(true);
  expect((await filesAt(configPath)).sort()).toEqual(['svc.json.kek', 'svc.json.kek.safe']);
  expect(await modeOf(`${configPath}.kek.safe`)).toBe(0o600);
  expect(await readText(`${configPath}.kek.safe`)).not.toContain(before.key.export().toString('base64'));
  await kek.removePlain();
  expect(await filesAt(configPath)).toEqual(['svc.json.kek.safe']);
  const again = await openKek({ configPath, env: {}, keychain: machine('here') });
  expect(again.key.equals(before.key)).toBe(true);
});

it('opens the same key at the next start after a crash between the two files', async () => {
  const configPath = await newPath();
  const { key } = await openKek({ configPath, env: {}, keychain: machine('here') });
  await writeFile(`${configPath}.kek`, key.export().toString('base64'), { mode: 0o600 });
  const kek = await openKek({ configPath, env: {}, keychain: machine('here') });
  await kek.removePlain();
  expect(kek.key.equals(key)).toBe(true);
  expect(await filesAt(configPath)).toEqual(['svc.json.kek.safe']);
});

it('writes a new key to the keychain without ever storing it in plaintext', async () => {
  const configPath = await newPath();
  const kek = await openKek({ configPath, env: {}, keychain: machine('here') });
  expect(kek.place).toBe('keychain');
  expect(await filesAt(configPath)).toEqual(['svc.json.kek.safe']);
});

it('stops the start with the remedy if another machine’s keychain wrapped the key; the file is untouched, and no key is created', async () => {
  const configPath = await newPath();
  await openKek({ configPath, env: {}, keychain: machine('there') });
  const wrapped = await readFile(`${configPath}.kek.safe`);
  for (const keychain of [machine('here'), null]) {
    const sentence = await stopOf(openKek({ configPath, env: {}, keychain }));
    expect(sentence).toContain('78 The key in');
    expect(sentence).toContain('SVC_KEK');
  }
  expect(await readFile(`${configPath}.kek.safe`)).toEqual(wrapped);
  expect(await filesAt(configPath)).toEqual(['svc.json.kek.safe']);
});

it('opens it there with the recovery key in SVC_KEK or in the key file', async () => {
  const configPath = await newPath();
  const { key } = await openKek({ configPath, env: {}, keychain: machine('there') });
  const text = key.export().toString('base64');
  const fromEnv = await openKek({ configPath, env: { SVC_KEK: text }, keychain: machine('here') });
  expect(fromEnv).toMatchObject({ place: 'environment', path: null });
  await writeFile(`${configPath}.kek`, text, { mode: 0o600 });
  const fromFile = await openKek({ configPath, env: {}, keychain: machine('here') });
  await fromFile.removePlain();
  expect(fromFile).toMatchObject({ place: 'file', notices: [expect.stringContaining('cannot be opened')] });
  expect(fromFile.key.equals(key)).toBe(true);
  expect((await filesAt(configPath)).sort()).toEqual(['svc.json.kek', 'svc.json.kek.safe']);
});

it('does not choose between two different keys, and keeps both', async () => {
  const configPath = await newPath();
  await openKek({ configPath, env: {}, keychain: machine('here') });
  await writeFile(`${configPath}.kek`, base64Key(), { mode: 0o600 });
  expect(await stopOf(openKek({ configPath, env: {}, keychain: machine('here') }))).toContain(
    'different keys',
  );
  expect((await filesAt(configPath)).sort()).toEqual(['svc.json.kek', 'svc.json.kek.safe']);
});

it.each<[string, Partial<Keychain>]>([
  ['does not take it', { wrap: () => Promise.reject(new Error('locked')) }],
  ['does not give it back', { unwrap: () => Promise.reject(new Error('locked')) }],
  ['gives back another one', { unwrap: async () => ({ text: base64Key(), isStale: false }) }],
])('keeps the plain file and says so if the keychain %s', async (_what, more) => {
  const configPath = await newPath();
  const before = await openKek({ configPath, env: {} });
  const kek = await openKek({ configPath, env: {}, keychain: machine('here', more) });
  await kek.removePlain();
  expect(kek).toMatchObject({ place: 'file', notices: [expect.stringContaining('did not accept the key')] });
  expect(kek.key.equals(before.key)).toBe(true);
  expect(await filesAt(configPath)).toEqual(['svc.json.kek']);
});

it('leaves the key in its plain file if there is no keychain', async () => {
  const configPath = await newPath();
  expect(await openKek({ configPath, env: {}, keychain: null })).toMatchObject({
    place: 'file',
    notices: [],
  });
  expect(await filesAt(configPath)).toEqual(['svc.json.kek']);
});

it('wraps again what the keychain calls stale', async () => {
  const configPath = await newPath();
  const { key } = await openKek({ configPath, env: {}, keychain: machine('here') });
  const rotated = machine('here', {
    async unwrap(bytes) {
      const [owner, hex = ''] = Buffer.from(bytes).toString().split(':');
      return { text: Buffer.from(hex, 'hex').toString(), isStale: owner !== 'rotated' };
    },
    wrap: async (text) => Buffer.from(`rotated:${Buffer.from(text).toString('hex')}`),
  });
  expect((await openKek({ configPath, env: {}, keychain: rotated })).key.equals(key)).toBe(true);
  const wrapped = Buffer.from(await readText(`${configPath}.kek.safe`), 'base64').toString();
  expect(wrapped.startsWith('rotated:')).toBe(true);
});

it('stops the start if the wrapped file cannot be read, and leaves it as it is', async () => {
  const configPath = await newPath();
  await openKek({ configPath, env: {}, keychain: machine('here') });
  // A mode does not keep root from reading; a folder in place of the file does.
  await rm(`${configPath}.kek.safe`);
  await mkdir(`${configPath}.kek.safe`);
  expect(await stopOf(openKek({ configPath, env: {}, keychain: machine('here') }))).toContain('EISDIR');
  expect((await stat(`${configPath}.kek.safe`)).isDirectory()).toBe(true);
  await expect(stat(`${configPath}.kek`)).rejects.toThrow('ENOENT');
});
