/** Whether each member is a person or an agent. Part of the contract table in operations.ts. */
import { MemberPageQuery, MemberParams } from './member.ts';
import { KindOfMember, MemberKindChange, MemberKindList } from './member-kind.ts';
import type { Operation } from './operation.ts';

export const kindOperations = {
  memberKinds: {
    method: 'GET',
    path: '/member-kinds',
    summary: 'Whether each member is a person or an agent.',
    plane: 'dual',
    rule: ['member'],
    query: MemberPageQuery,
    reply: MemberKindList,
    status: 200,
  },
  setMemberKind: {
    method: 'PATCH',
    path: '/members/:name/kind',
    summary: 'Say whether a member is a person or an agent, or let the broker derive it.',
    plane: 'dual',
    rule: ['members.manage'],
    params: MemberParams,
    body: MemberKindChange,
    reply: KindOfMember,
    status: 200,
  },
} as const satisfies Record<string, Operation>;
