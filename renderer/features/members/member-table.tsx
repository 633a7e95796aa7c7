/** The members of the team as a table. */
import { Link, useRouter } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { type Leaf, leaves } from '#protocol/access.ts';
import type { Member } from '#protocol/member.ts';
import type { Presence } from '#protocol/presence.ts';
import { lastSeenOf } from '#protocol/presence-state.ts';
import { useRoster } from '../../data/queries.ts';
import { Avatar, PresenceMark } from '../../ui/avatar.tsx';
import { Badge } from '../../ui/badge.tsx';
import { KindBadge } from '../../ui/kind.tsx';
import { Time } from '../../ui/time.tsx';

declare module '@tanstack/history' {
  interface HistoryState {
    /** The member whose row gets the focus, because the row before it has left the table. */
    memberInFocus?: string;
  }
}

type Listed = Pick<Member, 'name' | 'role' | 'permissions'>;

function Permissions({ permissions }: { permissions: readonly Leaf[] }) {
  return (
    <span className="flex flex-wrap gap-1">
      {permissions.length === 0 ? (
        <span className="text-sm text-faint">No extra permissions</span>
      ) : permissions.length === leaves.length ? (
        <Badge tone="caution">all permissions</Badge>
      ) : (
        permissions.map((leaf) => (
          <Badge key={leaf} tone={leaf === 'members.manage' ? 'caution' : 'neutral'}>
            {leaf}
          </Badge>
        ))
      )}
    </span>
  );
}

function MemberRow({ member, presence }: { member: Listed; presence: Presence | undefined }) {
  const { name, role, permissions } = member;
  const lastSeen = lastSeenOf(presence);
  return (
    <tr className="border-b border-line bg-surface hover:bg-hover max-sm:block max-sm:py-1">
      <td className="px-4 py-2 max-sm:block max-sm:pb-0">
        <Link
          to="/app/members/$name"
          params={{ name }}
          data-member={name}
          className="flex items-center gap-3"
        >
          <Avatar name={name} />
          <span className="min-w-0 wrap-anywhere">
            <span className="flex items-center gap-2 font-medium">
              {name} <KindBadge name={name} />
            </span>
            <span className="block text-sm text-soft">{role.title}</span>
          </span>
        </Link>
      </td>
      <td className="px-2 py-2 max-sm:block max-sm:py-0.5 max-sm:pl-14">
        <PresenceMark presence={presence} />
      </td>
      <td className="px-2 py-2 max-md:hidden">
        <Permissions permissions={permissions} />
      </td>
      <td className="px-4 py-2 text-right text-sm text-soft max-sm:block max-sm:pt-0 max-sm:pl-14 max-sm:text-left">
        <span className="sm:hidden">Last seen </span>
        {typeof lastSeen === 'number' ? <Time at={lastSeen} /> : lastSeen}
      </td>
    </tr>
  );
}

export function MemberTable({ members }: { members: readonly Listed[] }) {
  const { data: roster } = useRoster();
  const { history } = useRouter();
  const rows = useRef<HTMLTableSectionElement>(null);
  useEffect(() => {
    const { memberInFocus } = history.location.state;
    if (memberInFocus !== undefined)
      rows.current?.querySelector<HTMLElement>(`[data-member="${CSS.escape(memberInFocus)}"]`)?.focus();
  }, [history]);
  const presenceByName = new Map(roster?.connected.map((presence) => [presence.name as string, presence]));
  return (
    <table className="w-full border-collapse text-left max-sm:block">
      <thead className="sticky top-0 bg-sunken text-sm text-soft max-sm:sr-only">
        <tr className="border-b border-line">
          <th scope="col" className="px-4 py-2 font-medium">
            Member
          </th>
          <th scope="col" className="px-2 py-2 font-medium">
            Presence
          </th>
          <th scope="col" className="px-2 py-2 font-medium max-md:hidden">
            Permissions
          </th>
          <th scope="col" className="px-4 py-2 text-right font-medium max-sm:hidden">
            Last seen
          </th>
        </tr>
      </thead>
      <tbody ref={rows} className="max-sm:block">
        {members.map((member) => (
          <MemberRow key={member.name} member={member} presence={presenceByName.get(member.name)} />
        ))}
      </tbody>
    </table>
  );
}
