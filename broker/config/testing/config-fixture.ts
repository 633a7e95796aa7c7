/**
 * The starting point for tests of the configuration: a folder that is deleted afterwards, a valid document, and
 * its secrets.
 */
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { mintToken } from '../../security/token.ts';
import { mintTotpSecret } from '../../security/totp.ts';
import { mintVapidKeys } from '../../security/vapid.ts';
import { type ConfigStore, openConfig } from '../config-store.ts';
import { openKek } from '../kek-file.ts';

export async function tempFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-config-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

export const secrets = {
  token: mintToken(),
  totpSecret: mintTotpSecret(),
  vapid: mintVapidKeys(),
};

/** A valid file as a person may write it, with each plaintext form once: three secrets to migrate. */
// biome-ignore lint/suspicious/noExplicitAny: tests break it at any place
export function plaintextDocument(): any {
  return {
    team: { name: 'Ada & co', permissionPresets: { admin: ['team.manage', 'members.manage'], none: [] } },
    store: {
      members: [
        {
          name: 'ada',
          role: { title: 'director' },
          rawPermissions: ['admin'],
          token: secrets.token,
          totpSecret: secrets.totpSecret,
        },
        { name: 'bob', role: { title: 'engineer' }, rawPermissions: ['activity.read', 'none'] },
      ],
    },
    webPush: { vapidPublicKey: secrets.vapid.publicKey, vapidPrivateKey: secrets.vapid.privateKey },
  };
}

/** Writes the document or the text as svc.json of a new folder, with mode 0600. */
export async function configFile(content: unknown = plaintextDocument()): Promise<string> {
  const path = join(await tempFolder(), 'svc.json');
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content), { mode: 0o600 });
  return path;
}

export async function openAt(path: string, env: Record<string, string> = {}): Promise<ConfigStore> {
  return openConfig({ path, kek: await openKek({ configPath: path, env }) });
}

export const readText = (path: string): Promise<string> => readFile(path, 'utf8');

// biome-ignore lint/suspicious/noExplicitAny: tests look at any place
export const readDocument = async (path: string): Promise<any> => JSON.parse(await readText(path));

export const modeOf = async (path: string): Promise<number> => (await stat(path)).mode & 0o777;
