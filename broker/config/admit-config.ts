/** From whatever a file or a change holds to a valid SvcConfig: its form, the plaintext migration, the rules between fields (D2, D15). */
import type { z } from 'zod';
import { resolvePermissions } from '#protocol/access.ts';
import type { Envelope } from '../security/envelope.ts';
import { hashToken } from '../security/token.ts';
import { normalTotpSecret } from '../security/totp.ts';
import { configFaults } from './config-faults.ts';
import { type ConfigMember, type SvcConfig, WrittenConfig } from './svc-config.ts';

/** Seals a secret under the name of its field (D15): `totpSecret:<member>`, `webPush.vapidPrivateKey`. */
export type Seal = (plaintext: string, field: string) => Envelope;

/** `migrated` counts the plaintext secrets that were hashed or sealed. `faults` are sentences, each beginning with a path. */
export type Admission = { config: SvcConfig; migrated: number } | { faults: string[] };

export const totpField = (member: string): string => `totpSecret:${member}`;
export const vapidField = 'webPush.vapidPrivateKey';

/** Pure but for the random bytes of sealing. Never quotes a secret in a fault. */
export function admitConfig(document: unknown, seal: Seal): Admission {
  const form = WrittenConfig.safeParse(document, { error: missing });
  if (!form.success) {
    return { faults: form.error.issues.map((issue) => `${pathOf(issue.path)}: ${issue.message}`) };
  }
  const faults = configFaults(form.data);
  return faults.length > 0 ? { faults } : migrate(form.data, seal);
}

function migrate(written: WrittenConfig, seal: Seal): Admission {
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
    // A plaintext beside a hash was written later, by hand: it is the one that counts.
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
  const config: SvcConfig = { ...blocks, store: { ...written.store, members } };
  if (webPush) {
    const vapidPrivateKey = sealed(webPush.vapidPrivateKey, vapidField, (key) => key);
    config.webPush = { ...webPush, vapidPrivateKey };
  }
  return { config, migrated };
}

const missing: z.core.$ZodErrorMap = (issue) =>
  issue.code === 'invalid_type' && issue.input === undefined ? 'is missing' : undefined;

/** `store.members[2].name`; the whole document is `the file`. */
function pathOf(path: readonly PropertyKey[]): string {
  const written = path.map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`)).join('');
  return written.replace(/^\./, '') || 'the file';
}
