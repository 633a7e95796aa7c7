/** The people, or the agents, of the team as a table. */

import { Link } from '@tanstack/react-router';
import { isAbout } from '#protocol/inbox-about.ts';
import type { Member } from '#protocol/member.ts';
import { permissionLine } from '#protocol/permission-words.ts';
import type { Presence } from '#protocol/presence.ts';
import { lastSeenOf } from '#protocol/presence-state.ts';
import { useRoster } from '../../data/queries.ts';
import { Avatar, PresenceMark } from '../../ui/avatar.tsx';
import { CountBadge } from '../../ui/badge.tsx';
import { cx } from '../../ui/class-names.ts';
import { KindBadge } from '../../ui/kind.tsx';
import { openingLayer } from '../../ui/layers.ts';
import { onArrow } from '../../ui/rows.ts';
import { Time } from '../../ui/time.tsx';
import { useInbox } from '../inbox/use-inbox.ts';

export type Listed = Pick<Member, 'name' | 'role' | 'permissions'>;

interface RowProps {
  member: Listed;
  presence: Presence | undefined;
  /** The name of the member that is beside the table. */
  open: string | undefined;
}

function MemberRow({ member, presence, open }: RowProps) {
  const { name, role, permissions } = member;
  const lastSeen = lastSeenOf(presence);
  const isAlone = open === undefined;
  const { data: items = [] } = useInbox();
  const inInbox = items.filter((item) => isAbout(item, name)).length;
  return (
    <tr
      className={cx(
        'relative border-b border-line focus-within:bg-selected hover:bg-hover max-sm:block max-sm:py-1',
        name === open ? 'bg-selected' : 'bg-surface',
      )}
    >
      <th scope="row" className="px-4 py-2 text-left font-normal max-sm:block max-sm:pb-0">
        <Link
          to="/app/admin/people"
          search={(search) => ({ ...search, member: name })}
          {...(isAlone ? openingLayer : { replace: true, state: true })}
          aria-current={name === open ? 'true' : undefined}
          data-row={name}
          className="flex items-center gap-3 -outline-offset-2 after:absolute after:inset-0"
        >
          <Avatar name={name} />
          <span className="min-w-0 wrap-anywhere">
            <span className="flex items-center gap-2 font-medium">
              {name} <KindBadge name={name} />
              <CountBadge count={inInbox} look="personal" name="In your inbox" />
            </span>
            <span className="block text-sm text-soft">{role.title}</span>
          </span>
        </Link>
      </th>
      <td className="px-2 py-2 max-sm:inline-block max-sm:pt-0.5 max-sm:pl-14">
        <PresenceMark presence={presence} />
      </td>
      {isAlone ? (
        <>
          <td className="px-2 py-2 text-sm text-soft max-md:hidden">{permissionLine(permissions)}</td>
          <td className="px-4 py-2 text-right text-sm text-soft max-sm:inline-block max-sm:pt-0.5 max-sm:pl-1">
            {lastSeen === 'never' ? (
              <>
                never<span className="sm:hidden"> seen</span>
              </>
            ) : (
              <>
                <span className="sm:hidden">Last seen </span>
                {lastSeen === 'now' ? lastSeen : <Time at={lastSeen} />}
              </>
            )}
          </td>
        </>
      ) : null}
    </tr>
  );
}

const heading = 'py-2 font-medium';

interface MemberTableProps {
  title: string;
  members: readonly Listed[];
  open: string | undefined;
}

/** Up and Down move, and Enter opens the member. */
export function MemberTable({ title, members, open }: MemberTableProps) {
  const { data: roster } = useRoster();
  const presenceByName = new Map(roster?.connected.map((presence) => [presence.name as string, presence]));
  const isAlone = open === undefined;
  return (
    <table aria-label={title} className="w-full table-fixed border-collapse text-left max-sm:block">
      <thead className="sticky top-0 z-10 bg-sunken text-sm text-soft max-sm:block">
        <tr className="border-b border-line max-sm:block">
          <th scope="col" className={cx(heading, 'px-4 max-sm:block')}>
            {title}
          </th>
          <th scope="col" className={cx(heading, 'px-2 max-sm:hidden', isAlone ? 'w-36' : 'w-28')}>
            Presence
          </th>
          {isAlone ? (
            <>
              <th scope="col" className={cx(heading, 'w-2/5 px-2 max-md:hidden')}>
                Permissions
              </th>
              <th scope="col" className={cx(heading, 'w-36 px-4 text-right whitespace-nowrap max-sm:hidden')}>
                Last seen
              </th>
            </>
          ) : null}
        </tr>
      </thead>
      <tbody onKeyDown={onArrow} className="max-sm:block">
        {members.map((member) => (
          <MemberRow
            key={member.name}
            member={member}
            presence={presenceByName.get(member.name)}
            open={open}
          />
        ))}
      </tbody>
    </table>
  );
}
