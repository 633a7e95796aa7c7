/** Members and their projections (specification/members.md#records). */
import { z } from 'zod';
import { leaves } from './access.ts';
import { MemberName, queryInteger } from './ids.ts';
import { limits } from './limits.ts';
import { nameText, text } from './text.ts';
import { wakePolicies } from './vocabulary.ts';

export const Role = z
  .object({ title: text(1, limits.roleTitle), description: text(0, limits.roleDescription).default('') })
  .meta({ id: 'Role' });
export type Role = z.infer<typeof Role>;

/** As it is set, while one that is stored may be older than this rule. */
export const NewRole = Role.extend({ title: nameText(1, limits.roleTitle) }).meta({ id: 'NewRole' });

/** The messages that begin a turn of a member's agent; the others wait for the next turn (specification/members.md#waking). */
export const WakePolicy = z.enum(wakePolicies).meta({ id: 'WakePolicy' });
export type WakePolicy = z.infer<typeof WakePolicy>;

/** The facts that every member may know about another. */
export const Teammate = z
  .object({ name: MemberName, role: Role, permissions: z.array(z.enum(leaves)) })
  .meta({ id: 'Teammate' });
export type Teammate = z.infer<typeof Teammate>;

/** The wire form of the full record; `tokenHash` and `totpSecret` never leave the process. */
export const Member = Teammate.extend({
  instructions: z.string(),
  rawPermissions: z.array(z.string()),
  totpEnrolled: z.boolean(),
  /** Absent for `default`. */
  wakes: WakePolicy.optional(),
}).meta({ id: 'Member' });
export type Member = z.infer<typeof Member>;

/** The private fields are present for managers only. */
export const MemberList = z
  .object({
    members: z.array(
      Teammate.extend(Member.omit({ name: true, role: true, permissions: true }).partial().shape),
    ),
  })
  .meta({ id: 'MemberList' });
export type MemberList = z.infer<typeof MemberList>;

/**
 * With `limit`, `after`, or both: by name in code-unit order, only the names after `after`, and at most `limit` of
 * them. `after` need not be a member. Without them: everybody, in the order of the configuration.
 */
export const MemberPageQuery = z.object({
  limit: queryInteger(1, limits.listPageMax).optional(),
  after: MemberName.optional(),
});
export type MemberPageQuery = z.infer<typeof MemberPageQuery>;

const Instructions = text(0, limits.instructions);
/** Preset names and leaf permissions, mixed. */
export const PermissionEntries = z.array(text(1, 64)).max(limits.permissionEntries);

export const NewMember = z
  .object({
    name: MemberName,
    role: NewRole,
    instructions: Instructions.default(''),
    permissions: PermissionEntries,
  })
  .meta({ id: 'NewMember' });
export type NewMember = z.infer<typeof NewMember>;

/** Any subset; absent fields stay as they are, and so does a role's description. */
export const MemberPatch = z
  .object({
    role: NewRole.extend({ description: Role.shape.description.unwrap().optional() })
      .meta({ id: 'RolePatch' })
      .optional(),
    instructions: Instructions.optional(),
    permissions: PermissionEntries.optional(),
    wakes: WakePolicy.optional(),
  })
  .meta({ id: 'MemberPatch' });
export type MemberPatch = z.infer<typeof MemberPatch>;

export const CreatedMember = z.object({ member: Teammate, token: z.string() }).meta({ id: 'CreatedMember' });
export type CreatedMember = z.infer<typeof CreatedMember>;

export const TotpEnrollment = z
  .object({ totpSecret: z.string(), totpUri: z.string() })
  .meta({ id: 'TotpEnrolment' });
export type TotpEnrollment = z.infer<typeof TotpEnrollment>;

/** `/members/:name`. The name of an existing member is not parsed as a new one: an unknown name is 404. */
export const MemberParams = z.object({ name: z.string() });
export const MemberTokenParams = z.object({ name: z.string(), id: z.string() });
