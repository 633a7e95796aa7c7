/** A configuration as the audit log knows it, without secrets. */
import { createHash } from 'node:crypto';
import type { AuditValues } from '#protocol/audit.ts';
import type { PlatformJwt } from '../../config/platform-overlay.ts';
import type { ConfigMember, SvcConfig } from '../../config/svc-config.ts';
import type { AuditedConfiguration, AuditedMember } from './audit-configuration.rules.ts';

const digest = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('hex');

function auditedMember(member: ConfigMember): AuditedMember {
  const { role, instructions, wakes, rawPermissions, permissions, tokenHash, totpSecret } = member;
  return {
    title: role.title,
    description: role.description,
    instructions,
    wakes: wakes === undefined ? 'default' : JSON.stringify(wakes),
    entries: rawPermissions,
    permissions: [...permissions],
    token: tokenHash === undefined ? null : digest(tokenHash),
    totp: totpSecret === undefined ? null : digest(totpSecret),
    isTokenRevoked: 'revokedTokenHash' in member && member.revokedTokenHash === tokenHash,
  };
}

/** Returns the fields of a block by their paths: `listen.port`. A field that is neither a plain value nor a list is left out. */
function flat(blockByName: Record<string, object | undefined>): AuditValues {
  const values: AuditValues = {};
  for (const [name, block] of Object.entries(blockByName))
    for (const [key, value] of Object.entries(block ?? {})) {
      if (Array.isArray(value)) values[`${name}.${key}`] = value.map(String);
      else if (['string', 'number', 'boolean'].includes(typeof value)) values[`${name}.${key}`] = value;
    }
  return values;
}

/** Rules and holds by their paths, such as `channels.<id>.days`; a hold is one line. */
function auditedRetention({ retention }: SvcConfig): AuditValues {
  if (retention === undefined) return {};
  const { messages, activity, audit, channels = {}, holds = [] } = retention;
  return {
    ...flat({ messages, activity, audit }),
    ...Object.fromEntries(
      Object.entries(channels).map(([id, { days }]) => [`channels.${id}.days`, days ?? 'forever']),
    ),
    ...Object.fromEntries(holds.map(({ id, on, reason, by }) => [`holds.${id}`, `${on}: ${reason} (${by})`])),
  };
}

/**
 * `members` are those that it names, not all of the configuration. `platform`: what a bound platform wrote
 * beside the configuration; null without one.
 */
export function auditedConfiguration(
  config: SvcConfig,
  members: readonly ConfigMember[],
  platform: PlatformJwt | null,
): AuditedConfiguration {
  const { team, https, listen, outbound, jwt, files, stores, webPush } = config;
  const { name, directive, brief, permissionPresets, maxAgentHops } = team;
  return {
    memberByName: Object.fromEntries(members.map((member) => [member.name, auditedMember(member)])),
    team: { name, directive, brief, ...(maxAgentHops !== undefined && { maxAgentHops }) },
    presets: permissionPresets,
    network: flat({ https, listen, outbound }),
    others: flat({
      jwt,
      platform: platform ?? undefined,
      files,
      webPush: webPush && { vapidPublicKey: webPush.vapidPublicKey },
    }),
    stores: flat({ stores: { main: stores?.main, activity: stores?.activity } }),
    retention: auditedRetention(config),
  };
}
