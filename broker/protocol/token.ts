/**
 * Bearer tokens as callers see them (specification/authentication.md#tokens). The plaintext is in `token` of
 * a reply exactly once, never here.
 */
import { z } from 'zod';
import { MemberName, Timestamp } from './ids.ts';

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

export const RotatedToken = z
  .object({ token: z.string(), tokenInfo: TokenInfo })
  .meta({ id: 'RotatedToken' });
export type RotatedToken = z.infer<typeof RotatedToken>;
