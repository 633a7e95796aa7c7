/** The first setup of an unconfigured broker (specification/team.md#setup). */
import { z } from 'zod';
import { MemberName } from './ids.ts';
import { limits } from './limits.ts';
import { NewRole, Teammate } from './member.ts';
import { nameText, text } from './text.ts';

export const SetupRequest = z
  .object({
    team: z.object({
      name: nameText(1, limits.team.name),
      directive: text(0, limits.team.directive).default(''),
      brief: text(0, limits.team.brief).default(''),
    }),
    admin: z.object({ name: MemberName, role: NewRole }),
    totp: z.boolean().default(true),
  })
  .meta({ id: 'SetupRequest' });
export type SetupRequest = z.infer<typeof SetupRequest>;

/**
 * Shown once: the token and the TOTP secret are stored only hashed and encrypted. The TOTP fields are null if
 * `totp` was false.
 */
export const SetupReply = z
  .object({
    member: Teammate,
    token: z.string(),
    totpSecret: z.string().nullable(),
    totpUri: z.string().nullable(),
  })
  .meta({ id: 'SetupReply' });
export type SetupReply = z.infer<typeof SetupReply>;
