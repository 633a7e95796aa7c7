/** One conversation in the list. */
import { Link } from '@tanstack/react-router';
import { BellOff, Target } from 'lucide-react';
import { memo } from 'react';
import type { Presence } from '#protocol/presence.ts';
import { parseScope } from '#protocol/scope.ts';
import { Avatar, PresenceMark } from '../../ui/avatar.tsx';
import { CountBadge } from '../../ui/badge.tsx';
import { cx } from '../../ui/class-names.ts';
import { PrivateMark } from '../../ui/private-mark.tsx';

export interface ConversationRowProps {
  scope: string;
  isCurrent: boolean;
  label: string;
  count?: number | undefined;
  mentions?: number | undefined;
  /** The other member of direct messages; undefined for a channel or a thread. */
  member?: string;
  presence?: Presence | undefined;
  isMuted?: boolean;
  isPrivate?: boolean;
  onChoose: () => void;
}

/**
 * Rendered again only if its properties change: there may be hundreds of rows, and each message changes one
 * count.
 */
export const ConversationRow = memo(function ConversationRow(props: ConversationRowProps) {
  const { scope, isCurrent, label, count = 0, mentions = 0, member, presence } = props;
  const { isMuted = false, isPrivate = false, onChoose } = props;
  const kind = parseScope(scope)?.kind;
  const isChannel = kind === 'general' || kind === 'channel';
  return (
    <li>
      <Link
        to="/app/conversations/$scope"
        params={{ scope }}
        onClick={onChoose}
        // By itself, the link would be current also below the results of a search.
        activeOptions={{ exact: true }}
        aria-current={isCurrent ? 'page' : undefined}
        className={cx(
          'flex h-8 items-center gap-2 rounded-md px-2 text-soft hover:bg-hover hover:text-text',
          isCurrent && 'bg-selected text-text',
          count > 0 && 'font-semibold text-text',
        )}
      >
        {member !== undefined ? (
          <Avatar name={member} size="small" />
        ) : (
          <span aria-hidden="true" className="flex w-5 justify-center text-faint">
            {isChannel ? '#' : <Target className="size-3.5" />}
          </span>
        )}
        <span className="min-w-0 flex-1 truncate">{label}</span>
        {isPrivate ? <PrivateMark /> : null}
        {isMuted ? (
          <span className="text-faint [&_svg]:size-3.5">
            <BellOff aria-hidden="true" />
            <span className="sr-only">muted</span>
          </span>
        ) : null}
        {member === undefined ? null : <PresenceMark presence={presence} isCompact />}
        <CountBadge
          count={count}
          look={mentions > 0 || (member !== undefined && count > 0) ? 'personal' : 'plain'}
          name={
            member === undefined
              ? `Unread in ${label}${mentions > 0 ? ', mentioning you' : ''}`
              : `Unread from ${label}`
          }
        />
      </Link>
    </li>
  );
});
