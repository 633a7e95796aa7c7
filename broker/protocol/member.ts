/** Members and their projections (specification "Member", "Teammate"; D2). */
import { z } from 'zod';
import { leaves } from './access.ts';
import { MemberName } from './ids.ts';
import { limits } from './limits.ts';
import { text } from './text.ts';

export const Role = z
  .object({ title: text(1, limits.roleTitle), description: text(0, limits.roleDescription).default('') })
  .meta({ id: 'Role' });
export type Role = z.infer<typeof Role>;

/** What every member may know of another. */
export const Teammate = z
  .object({ name: MemberName, role: Role, permissions: z.array(z.enum(leaves)) })
  .meta({ id: 'Teammate' });
export type Teammate = z.infer<typeof Teammate>;

/** The wire form of the full record; `tokenHash` and `totpSecret` never leave the process. */
export const Member = Teammate.extend({
  instructions: z.string(),
  rawPermissions: z.array(z.string()),
  totpEnrolled: z.boolean(),
}).meta({ id: 'Member' });
export type Member = z.infer<typeof Member>;
