/** Federation with a hosted control plane (specification/platform.md). */
import { z } from 'zod';
import { Timestamp } from './ids.ts';

/** At least 128 bits in base64url. */
export const PairingCode = z
  .string()
  .regex(/^[A-Za-z0-9_-]{22,256}$/, 'must be a pairing code of at least 22 characters');

const JwtBlock = z.object({ issuer: z.string(), audience: z.string(), jwksUrl: z.string() });

export const PlatformBind = z
  .object({
    pairingCode: PairingCode,
    platformUrl: z.url({ protocol: /^https?$/, error: 'must be a URL' }).max(2048),
  })
  .meta({ id: 'PlatformBind' });
export type PlatformBind = z.infer<typeof PlatformBind>;

export const PlatformBound = z
  .object({ ok: z.literal(true), memberName: z.string(), jwt: JwtBlock })
  .meta({ id: 'PlatformBound' });
export type PlatformBound = z.infer<typeof PlatformBound>;

export const PlatformLookupQuery = z.object({ code: z.string().min(1).max(256) });

export const PlatformLookup = z
  .object({ team: z.string(), memberName: z.string(), boundAt: Timestamp })
  .meta({ id: 'PlatformLookup' });
export type PlatformLookup = z.infer<typeof PlatformLookup>;
