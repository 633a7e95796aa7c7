/**
 * The team configuration file svc.json, as written and as loaded (specification/configuration.md#svcjson).
 */
import { isIP } from 'node:net';
import { z } from 'zod';
import type { StoresBlock } from '#platform/store-places.ts';
import { type Leaf, leaves } from '#protocol/access.ts';
import { ChannelId, MemberName } from '#protocol/ids.ts';
import { limits } from '#protocol/limits.ts';
import { Role, WakePolicy } from '#protocol/member.ts';
import {
  AgeAndSize,
  AuditRetention,
  ChannelRetention,
  LegalHold,
  type RetentionPolicy,
} from '#protocol/retention.ts';
import { Team } from '#protocol/team.ts';
import { text } from '#protocol/text.ts';
import { Envelope } from '../security/envelope.ts';
import { tokenHashPattern, tokenPattern } from '../security/token.ts';
import { normalTotpSecret } from '../security/totp.ts';
import { isVapidPrivateKey, isVapidPublicKey } from '../security/vapid.ts';

export interface ConfigMember {
  readonly name: MemberName;
  readonly role: Readonly<Role>;
  readonly instructions: string;
  /** Preset names and leaf permissions, as entered. */
  readonly rawPermissions: string[];
  /** Resolved from rawPermissions at every load and write; the value in the file is never trusted. */
  readonly permissions: Leaf[];
  /** `sha256:<hex>`. Without it, the member cannot authenticate with a primary token. */
  readonly tokenHash?: string | undefined;
  readonly totpSecret?: Envelope | undefined;
  /** The id of the member's own token that bound the authenticator, itself or through a session that descends from it. */
  readonly totpBoundWith?: string | undefined;
  readonly wakes?: WakePolicy | undefined;
}

/**
 * svc.json as loaded: secrets hashed or sealed, and defaults filled in. It never changes: a change is another
 * object, in which whatever is the same object is unchanged (ADR 0040). Keys that this version does not know
 * are present at run time at every level; whoever changes a block spreads it (`{ ...config, team: {
 * ...config.team, brief } }`) and so keeps them.
 */
export interface SvcConfig {
  readonly team: Readonly<Team>;
  readonly store: { readonly members: readonly ConfigMember[] };
  /** `cert` and `key` are paths of PEM files. */
  readonly https?: { port: number; cert: string; key: string } | undefined;
  readonly webPush?: { vapidPublicKey: string; vapidPrivateKey: Envelope } | undefined;
  readonly jwt?: { issuer: string; audience: string; jwksUrl: string } | undefined;
  readonly files?: FilesBlock | undefined;
  readonly stores?: StoresBlock | undefined;
  readonly listen?: ListenBlock | undefined;
  readonly outbound?: { allowHosts: string[] } | undefined;
  readonly retention?: RetentionPolicy | undefined;
}

/** Sizes in bytes. */
interface FilesBlock {
  root: string;
  maxFileSize: number;
  /** The upper bounds of a member's home. */
  maxBytesPerMember?: number | undefined;
  maxEntriesPerMember?: number | undefined;
  /** Uploads end while less of the disk is free. */
  minFreeBytes?: number | undefined;
}

export interface ListenBlock {
  host?: string | undefined;
  port?: number | undefined;
  httpsHost?: string | undefined;
  /** The port at which HTTPS listens when it is turned on; 8718 by default. */
  httpsPort?: number | undefined;
  /** Names, besides loopback names and its own, to which the broker answers. */
  hosts?: string[] | undefined;
  /** Addresses or CIDR ranges whose forwarding headers count. */
  trustedProxies?: string[] | undefined;
  /** Open connections at a time, in all and of one source address. */
  maxConnections?: number | undefined;
  maxConnectionsPerSource?: number | undefined;
  /** Addresses or CIDR ranges without a limit of their own; loopback by default, and trusted proxies always. */
  unlimitedSources?: string[] | undefined;
  /** Open at a time by one member. */
  maxStreamsPerMember?: number | undefined;
  maxDownloadsPerMember?: number | undefined;
}

const oneOf = (written: string) => `must be an encrypted envelope {v, ct, iv} or ${written}`;
const PlainTotpSecret = z
  .string()
  .refine((secret) => normalTotpSecret(secret) !== null, oneOf('a base32 secret'));
const PlainVapidKey = z.string().refine(isVapidPrivateKey, oneOf('a base64url key'));
const port = z.int().min(0).max(65_535);
const nonEmpty = z.string().min(1, 'must not be empty');
const httpUrl = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' });
const hostName = z.string().regex(/^[^\s/]+$/, 'must be a host name or address, without a path');

function isAddressOrRange(value: string): boolean {
  const [address = '', bits, ...rest] = value.split('/');
  const version = isIP(address);
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

const addressRanges = z.array(z.string().refine(isAddressOrRange, 'must be an IP address or a CIDR range'));

const WrittenMember = z.looseObject({
  name: MemberName,
  role: Role.loose(),
  instructions: text(0, limits.instructions).default(''),
  rawPermissions: z.array(text(1, 64)).max(limits.permissionEntries),
  permissions: z.unknown().optional(),
  token: z.string().regex(tokenPattern, 'must be svc_ followed by base64url characters').nullish(),
  tokenHash: z.string().regex(tokenHashPattern, 'must be sha256: followed by 64 hex digits').nullish(),
  totpSecret: z.union([Envelope, PlainTotpSecret], { error: oneOf('a base32 secret') }).nullish(),
  totpBoundWith: text(1, 64).optional(),
  wakes: WakePolicy.optional(),
});

const presetLeaf = z.enum(leaves, { error: `must be one of ${leaves.join(', ')}` });

export const JwtBlock = z.looseObject({
  issuer: httpUrl,
  audience: z.string().regex(/^team:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i, 'must be team:<uuid>'),
  jwksUrl: httpUrl,
});

/**
 * The forms that a file may have: the migrated one and the plaintext ones (specification/configuration.md#migration),
 * with unknown keys at every level.
 */
export const WrittenConfig = z.looseObject({
  team: Team.extend({
    directive: text(0, limits.team.directive).default(''),
    brief: text(0, limits.team.brief).default(''),
    permissionPresets: z.record(text(1, 64), z.array(presetLeaf)).default({}),
  }).loose(),
  store: z.looseObject({ members: z.array(WrittenMember) }),
  https: z.looseObject({ port, cert: nonEmpty, key: nonEmpty }).optional(),
  webPush: z
    .looseObject({
      vapidPublicKey: z.string().refine(isVapidPublicKey, 'must be a P-256 public key in base64url'),
      vapidPrivateKey: z.union([Envelope, PlainVapidKey], { error: oneOf('a base64url key') }),
    })
    .optional(),
  jwt: JwtBlock.optional(),
  files: z
    .looseObject({
      root: nonEmpty,
      maxFileSize: z.int().positive().default(limits.maxFileSize),
      maxBytesPerMember: z.int().positive().optional(),
      maxEntriesPerMember: z.int().positive().optional(),
      minFreeBytes: z.int().nonnegative().optional(),
    })
    .optional(),
  stores: z.looseObject({ main: nonEmpty.optional(), activity: nonEmpty.optional() }).optional(),
  listen: z
    .looseObject({
      host: hostName.optional(),
      port: port.optional(),
      httpsHost: hostName.optional(),
      httpsPort: port.optional(),
      hosts: z.array(hostName).optional(),
      trustedProxies: addressRanges.optional(),
      maxConnections: z.int().min(2).optional(),
      maxConnectionsPerSource: z.int().min(1).optional(),
      unlimitedSources: addressRanges.optional(),
      maxStreamsPerMember: z.int().min(1).optional(),
      maxDownloadsPerMember: z.int().min(1).optional(),
    })
    .optional(),
  outbound: z.looseObject({ allowHosts: z.array(hostName).default([]) }).optional(),
  retention: z
    .looseObject({
      messages: AgeAndSize.loose().optional(),
      activity: AgeAndSize.loose().optional(),
      audit: AuditRetention.loose().optional(),
      channels: z.record(ChannelId, ChannelRetention.loose()).optional(),
      holds: z.array(LegalHold.loose()).max(limits.retention.holds).optional(),
    })
    .optional(),
});
export type WrittenConfig = z.infer<typeof WrittenConfig>;
