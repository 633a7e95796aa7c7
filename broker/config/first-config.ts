/**
 * The configuration that the first setup writes; `muster setup` and `POST /setup` both use it
 * (specification/team.md#setup).
 */
import type { StoresBlock } from '#platform/store-places.ts';
import { defaultPresets, resolvePermissions } from '#protocol/access.ts';
import { limits } from '#protocol/limits.ts';
import type { SetupRequest } from '#protocol/setup.ts';
import { hashToken, mintToken } from '../security/token.ts';
import { mintTotpSecret, totpUri } from '../security/totp.ts';
import { mintVapidKeys } from '../security/vapid.ts';
import { type Seal, totpField, vapidField } from './admit-config.ts';
import type { ConfigMember, SvcConfig } from './svc-config.ts';

/**
 * The secrets are plaintext and shown once; the configuration holds them hashed or sealed. The TOTP fields
 * are null unless requested.
 */
export interface FirstConfig {
  config: SvcConfig;
  token: string;
  totpSecret: string | null;
  totpUri: string | null;
}

/**
 * Builds the configuration from a parsed request and writes nothing; pass its `config` to `store.create`.
 * `filesRoot` is the folder of file blobs, and `stores` is the block that names the stores; both are written as given.
 */
export function firstConfig(
  request: SetupRequest,
  deps: { filesRoot: string; stores?: StoresBlock | undefined; seal: Seal },
): FirstConfig {
  const { team, admin } = request;
  const token = mintToken();
  const totpSecret = request.totp ? (request.confirmed?.totpSecret ?? mintTotpSecret()) : null;
  const vapid = mintVapidKeys();
  const rawPermissions = ['admin'];
  const member: ConfigMember = {
    name: admin.name,
    role: admin.role,
    instructions: '',
    rawPermissions,
    permissions: resolvePermissions(rawPermissions, defaultPresets).permissions,
    tokenHash: hashToken(token),
    ...(totpSecret ? { totpSecret: deps.seal(totpSecret, totpField(admin.name)) } : {}),
  };
  const config: SvcConfig = {
    team: { ...team, permissionPresets: structuredClone(defaultPresets) },
    store: { members: [member] },
    files: { root: deps.filesRoot, maxFileSize: limits.maxFileSize },
    ...(deps.stores && { stores: deps.stores }),
    webPush: {
      vapidPublicKey: vapid.publicKey,
      vapidPrivateKey: deps.seal(vapid.privateKey, vapidField),
    },
  };
  return { config, token, totpSecret, totpUri: totpSecret && totpUri(team.name, admin.name, totpSecret) };
}
