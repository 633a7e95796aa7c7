/** Whether a member is a person or an agent (specification/members.md#kinds). Beside the records of members, whose shapes are fixed. */
import { z } from 'zod';
import { MemberName } from './ids.ts';
import { memberKinds } from './vocabulary.ts';

export const MemberKind = z.enum(memberKinds).meta({ id: 'MemberKind' });
export type MemberKind = z.infer<typeof MemberKind>;

/** `isSet`: an operator has decided. Otherwise, the kind is derived from how the member connects. */
export const KindOfMember = z
  .object({ name: MemberName, kind: MemberKind, isSet: z.boolean() })
  .meta({ id: 'KindOfMember' });
export type KindOfMember = z.infer<typeof KindOfMember>;

export const MemberKindList = z.object({ kinds: z.array(KindOfMember) }).meta({ id: 'MemberKindList' });
export type MemberKindList = z.infer<typeof MemberKindList>;

/** `kind`: null lets the broker derive it again. */
export const MemberKindChange = z.object({ kind: MemberKind.nullable() }).meta({ id: 'MemberKindChange' });
export type MemberKindChange = z.infer<typeof MemberKindChange>;
