/** A configuration of three members, as a person might write it, with plaintext tokens. */
import { writeFile } from 'node:fs/promises';
import { createHttpClient } from '#client/http-client.ts';
import { type BrokerClient, createClient } from '#protocol/client.ts';

export const tokens = { ada: 'svc_token-of-ada', ben: 'svc_token-of-ben', cy: 'svc_token-of-cy' };

/** @param more further blocks. */
export async function writeTeam(path: string, more: Record<string, unknown> = {}): Promise<void> {
  const member = (name: keyof typeof tokens, title: string, rawPermissions: string[]) => ({
    name,
    role: { title, description: '' },
    rawPermissions,
    token: tokens[name],
  });
  const config = {
    ...more,
    team: {
      name: 'Blue',
      permissionPresets: { admin: ['team.manage', 'members.manage'], operator: ['objectives.create'] },
    },
    store: {
      members: [
        member('ada', 'Lead', ['admin']),
        member('ben', 'Builder', ['operator']),
        member('cy', 'Reader', []),
      ],
    },
  };
  await writeFile(path, JSON.stringify(config), { mode: 0o600 });
}

/** Calls as that member, without a process. */
export const clientOf = (url: string, name: keyof typeof tokens): BrokerClient =>
  createClient(createHttpClient({ url, token: tokens[name] }).send);
