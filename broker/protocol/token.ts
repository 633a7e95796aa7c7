/**
 * Bearer tokens as callers see them (specification/authentication.md#tokens). The plaintext is in `token` of
 * a reply exactly once, never here.
 */
import { z } from 'zod';
import { MemberName, queryInteger, Timestamp } from './ids.ts';
import { limits } from './limits.ts';

export const TokenInfo = z
  .object({
    id: z.uuid(),
    memberName: MemberName,
    label: z.string(),
    origin: z.enum(['bootstrap', 'create', 'rotate', 'enroll']),
    createdAt: Timestamp,
    lastUsedAt: Timestamp.nullable(),
    expiresAt: Timestamp.nullable(),
    createdBy: z.string().nullable(),
  })
  .meta({ id: 'TokenInfo' });
export type TokenInfo = z.infer<typeof TokenInfo>;

export const TokenList = z.object({ tokens: z.array(TokenInfo) }).meta({ id: 'TokenList' });
export type TokenList = z.infer<typeof TokenList>;

/** `authenticatorUnbound`: the ended credentials had bound the member's authenticator, which is no longer accepted; absent otherwise. */
export const RotatedToken = z
  .object({ token: z.string(), tokenInfo: TokenInfo, authenticatorUnbound: z.literal(true).optional() })
  .meta({ id: 'RotatedToken' });
export type RotatedToken = z.infer<typeof RotatedToken>;

/**
 * A token with what a list of machines shows beside it. `isRun`: it belongs to one run of an agent. `isPrimary`: revoking it
 * ends the member's sessions, too. `address`: from which it was used last, as a proxy that the broker trusts says, or the
 * socket; null if it was not used since the broker records it.
 */
export const Device = TokenInfo.extend({
  isRun: z.boolean(),
  isPrimary: z.boolean(),
  address: z.string().nullable(),
}).meta({ id: 'Device' });
export type Device = z.infer<typeof Device>;

export const DeviceList = z.object({ devices: z.array(Device) }).meta({ id: 'DeviceList' });
export type DeviceList = z.infer<typeof DeviceList>;

/** In the order of the ids, only those after the id `after`. */
export const DeviceQuery = z.object({
  limit: queryInteger(1, limits.listPageMax).default(limits.listPageMax),
  after: z.string().max(64).optional(),
});
export type DeviceQuery = z.infer<typeof DeviceQuery>;
