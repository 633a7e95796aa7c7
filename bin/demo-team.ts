/** A team of three members to try things with, in a folder of its own (`npm start -- --demo`). */
import { mkdir, mkdtemp, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createBearerCache } from '#client/bearer-cache.ts';
import { defaultUrl } from '#client/credentials.ts';
import { defaultPresets, resolvePermissions } from '#protocol/access.ts';
import { MemberName } from '#protocol/ids.ts';
import type { ConfigMember, SvcConfig } from '../broker/config/svc-config.ts';
import { hashToken, mintToken } from '../broker/security/token.ts';
import { CommandFailure } from './command-failure.ts';
import { writeFirstConfig } from './write-first-config.ts';

export const demoNames = ['ada', 'ben', 'cy'] as const;
export type DemoName = (typeof demoNames)[number];

export interface DemoTeam {
  configPath: string;
  dbPath: string;
  activityDbPath: string;
  /** Each member's own bearer cache. */
  authPath(name: DemoName): string;
  /** Points each member's cache at the broker's present address, and at nothing else. */
  pointAt(url: string): Promise<void>;
}

const others = [
  { name: 'ben', role: { title: 'Engineer', description: 'Builds things' }, rawPermissions: ['operator'] },
  {
    name: 'cy',
    role: { title: 'Reviewer', description: 'Reviews what was built' },
    rawPermissions: ['observer'],
  },
] as const;

/**
 * Uses the team in `folder`, or creates it there. @throws CommandFailure if the folder contains something
 * else.
 */
export async function openDemoTeam(folder: string): Promise<DemoTeam> {
  const configPath = join(folder, 'svc.json');
  const isThere = await stat(configPath).then(
    () => true,
    () => false,
  );
  if (!isThere) await makeWhole(folder);
  const authPath = (name: DemoName) => join(folder, `${name}.auth.json`);
  return {
    configPath,
    dbPath: join(folder, 'main.db'),
    activityDbPath: join(folder, 'activity.db'),
    authPath,
    async pointAt(url) {
      for (const name of demoNames) await moveToken(authPath(name), url, folder);
    },
  };
}

/** Created beside and renamed, so that an interrupted start leaves no half of a team. */
async function makeWhole(folder: string): Promise<void> {
  await mkdir(dirname(folder), { recursive: true, mode: 0o700 });
  const beside = await mkdtemp(`${folder}.new-`);
  try {
    await makeTeam(beside);
    // An empty folder may already exist; nothing else is replaced.
    await rmdir(folder).catch(() => {});
    await rename(beside, folder).catch(() => {
      throw new CommandFailure(`"${folder}" contains other files. Pass another folder with --demo-dir.`);
    });
  } finally {
    await rm(beside, { recursive: true, force: true });
  }
}

async function makeTeam(folder: string): Promise<void> {
  const tokenByName = new Map<string, string>(others.map(({ name }) => [name, mintToken()]));
  const members = others.map(({ name, role, rawPermissions }): ConfigMember => {
    const { permissions } = resolvePermissions(rawPermissions, defaultPresets);
    const tokenHash = hashToken(tokenByName.get(name) ?? '');
    return {
      name: MemberName.parse(name),
      role,
      instructions: '',
      rawPermissions: [...rawPermissions],
      permissions,
      tokenHash,
    };
  });
  const written = await writeFirstConfig({
    configPath: join(folder, 'svc.json'),
    env: {},
    filesRoot: 'files',
    request: {
      team: { name: 'Demo', directive: 'Try everything out', brief: '' },
      admin: { name: 'ada', role: { title: 'Director' } },
      totp: false,
    },
    complete: (config: SvcConfig) => ({
      ...config,
      store: { ...config.store, members: [...config.store.members, ...members] },
    }),
  });
  tokenByName.set('ada', written.token);
  for (const [name, token] of tokenByName)
    await createBearerCache({ path: join(folder, `${name}.auth.json`) }).save(defaultUrl, token);
}

async function moveToken(path: string, url: string, folder: string): Promise<void> {
  const cache = createBearerCache({ path });
  const [entry] = await cache.entries();
  if (entry === undefined)
    throw new CommandFailure(`"${path}" contains no token. Delete "${folder}", and start the demo again.`);
  await cache.save(url, entry.token);
  for (const other of await cache.entries()) if (other.url !== url) await cache.remove(other.url);
}
