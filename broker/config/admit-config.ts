/**
 * From the content of a file or a change to a valid SvcConfig: its form, the migration of plaintext, and the
 * rules between fields (specification/configuration.md#svcjson).
 */
import type { z } from 'zod';
import { resolvePermissions } from '#protocol/access.ts';
import type { Envelope } from '../security/envelope.ts';
import { hashToken } from '../security/token.ts';
import { normalTotpSecret } from '../security/totp.ts';
import { configFaults } from './config-faults.ts';
import { type ConfigMember, type SvcConfig, WrittenConfig } from './svc-config.ts';

/**
 * Seals a secret with the name of its field as associated data: `totpSecret:<member>`,
 * `webPush.vapidPrivateKey` (specification/configuration.md#envelopes).
 */
export type Seal = (plaintext: string, field: string) => Envelope;

/**
 * `migrated` counts the plaintext secrets that were hashed or sealed. `faults` are sentences that begin with
 * a path.
 */
export type Admission = { config: SvcConfig; migrated: number } | { faults: string[] };

export const totpField = (member: string): string => `totpSecret:${member}`;
export const vapidField = 'webPush.vapidPrivateKey';

/** Pure except for the random bytes of sealing. It never quotes a secret in a fault. */
export function admitConfig(document: unknown, seal: Seal): Admission {
  const form = WrittenConfig.safeParse(document, { error: missing });
  if (!form.success) {
    return { faults: form.error.issues.map((issue) => `${pathOf(issue.path)}: ${issue.message}`) };
  }
  const faults = configFaults(form.data);
  return faults.length > 0 ? { faults } : migrate(form.data, seal);
}

/** Hashes and seals what is plaintext, and resolves permissions. */
export function migrate(written: WrittenConfig, seal: Seal): { config: SvcConfig; migrated: number } {
  let migrated = 0;
  const sealed = (value: Envelope | string, field: string, normal: (plaintext: string) => string | null) => {
    if (typeof value !== 'string') return value;
    migrated++;
    return seal(normal(value) ?? value, field);
  };
  const presets = written.team.permissionPresets;
  const members = written.store.members.map((member): ConfigMember => {
    const { token, tokenHash, totpSecret, ...rest } = member;
    const { permissions } = resolvePermissions(member.rawPermissions, presets);
    // A plaintext beside a hash was written later, by hand, so it takes precedence.
    if (token) migrated++;
    const hash = token ? hashToken(token) : tokenHash;
    return {
      ...rest,
      permissions,
      ...(hash ? { tokenHash: hash } : {}),
      ...(totpSecret ? { totpSecret: sealed(totpSecret, totpField(member.name), normalTotpSecret) } : {}),
    };
  });
  const { webPush, ...blocks } = written;
  const vapidPrivateKey = webPush && sealed(webPush.vapidPrivateKey, vapidField, (key) => key);
  const config: SvcConfig = {
    ...blocks,
    store: { ...written.store, members },
    ...(webPush && vapidPrivateKey && { webPush: { ...webPush, vapidPrivateKey } }),
  };
  return { config, migrated };
}

const missing: z.core.$ZodErrorMap = (issue) =>
  issue.code === 'invalid_type' && issue.input === undefined ? 'is missing' : undefined;

/** Returns `store.members[2].name`, for example, or `the file` for the whole document. */
function pathOf(path: readonly PropertyKey[]): string {
  const written = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
  return written.replace(/^\./, '') || 'the file';
}
