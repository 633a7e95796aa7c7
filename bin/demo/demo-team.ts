/** The team of the demo: three people and two agents, in a folder that goes with the demo. */
import { join } from 'node:path';
import { defaultPresets, resolvePermissions } from '#protocol/access.ts';
import { MemberName } from '#protocol/ids.ts';
import type { ConfigMember } from '../../broker/config/svc-config.ts';
import { hashToken, mintToken } from '../../broker/security/token.ts';
import { writeFirstConfig } from '../write-first-config.ts';

export type DemoName = 'ada' | 'ben' | 'cy' | 'mason' | 'iris';
export const agentNames = ['mason', 'iris'] as const satisfies readonly DemoName[];

/** Agents answer each other this often before a person must look: the fourth post is held. */
const maxAgentHops = 3;

const others = [
  { name: 'ben', title: 'Engineer', description: 'Builds Harbor Map', rawPermissions: ['operator'] },
  { name: 'cy', title: 'Support', description: 'Talks to harbors and sailors', rawPermissions: ['observer'] },
  { name: 'mason', title: 'Writer', description: 'Writes what we publish', rawPermissions: [] },
  { name: 'iris', title: 'Reviewer', description: 'Checks what is claimed', rawPermissions: [] },
] as const;

export interface DemoTeam {
  configPath: string;
  dbPath: string;
  activityDbPath: string;
  tokenOf(name: DemoName): string;
}

/** @param folder exists and is empty. */
export async function makeDemoTeam(folder: string): Promise<DemoTeam> {
  const tokens = new Map<string, string>(others.map(({ name }) => [name, mintToken()]));
  const members = others.map(({ name, title, description, rawPermissions }): ConfigMember => {
    const { permissions } = resolvePermissions(rawPermissions, defaultPresets);
    return {
      name: MemberName.parse(name),
      role: { title, description },
      instructions: '',
      rawPermissions: [...rawPermissions],
      permissions,
      tokenHash: hashToken(tokens.get(name) ?? ''),
    };
  });
  const configPath = join(folder, 'svc.json');
  const written = await writeFirstConfig({
    configPath,
    env: {},
    filesRoot: 'files',
    stores: { main: 'main.db', activity: 'activity.db' },
    request: {
      team: {
        name: 'Tideline',
        directive: 'Ship Harbor Map 2.0 on Friday.',
        brief: 'Harbor Map shows sailors where they can moor, and when the tide lets them in.',
      },
      admin: { name: 'ada', role: { title: 'Director' } },
      totp: false,
    },
    complete: (config) => ({
      ...config,
      team: { ...config.team, maxAgentHops },
      store: { members: [...config.store.members, ...members] },
    }),
  });
  tokens.set('ada', written.token);
  return {
    configPath,
    dbPath: join(folder, 'main.db'),
    activityDbPath: join(folder, 'activity.db'),
    tokenOf: (name) => tokens.get(name) ?? '',
  };
}
