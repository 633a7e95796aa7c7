/** Every conversation: general and joined channels, direct ones, threads with something unread. */
import { Link } from '@tanstack/react-router';
import { Target } from 'lucide-react';
import { memo, type ReactNode, useMemo } from 'react';
import type { Presence } from '#protocol/presence.ts';
import { useChannels, useObjectives, useRoster, useSelf, useUnread } from '../../data/queries.ts';
import { Avatar, PresenceMark } from '../../ui/avatar.tsx';
import { CountBadge } from '../../ui/badge.tsx';
import { cx } from '../../ui/class-names.ts';
import { ErrorState } from '../../ui/states.tsx';

interface RowProps {
  scope: string;
  isCurrent: boolean;
  label: string;
  count?: number | undefined;
  mentions?: number | undefined;
  /** Whose direct messages they are; else a channel or thread. */
  member?: string;
  presence?: Presence | undefined;
  onChoose: () => void;
}

/** Drawn again only when it says something else: there may be hundreds, and every message counts up one. */
const Row = memo(function Row(props: RowProps) {
  const { scope, isCurrent, label, count = 0, mentions = 0, member, presence, onChoose } = props;
  const isChannel = scope === 'general' || scope.startsWith('chan:');
  return (
    <li>
      <Link
        to="/app/conversations/$scope"
        params={{ scope }}
        onClick={onChoose}
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
        {member === undefined ? null : <PresenceMark presence={presence} isCompact />}
        <CountBadge
          count={count}
          isMention={mentions > 0 || (member !== undefined && count > 0)}
          name={`in ${label}`}
        />
      </Link>
    </li>
  );
});

function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title} className="px-2 pb-3">
      <h2 className="px-2 py-1 text-xs font-medium text-faint">{title}</h2>
      <ul>{children}</ul>
    </section>
  );
}

function Failed({ error, onRetry }: { error: Error | null; onRetry: () => unknown }) {
  if (error === null) return null;
  return (
    <li>
      <ErrorState error={error} onRetry={() => void onRetry()} />
    </li>
  );
}

const threadsShown = 20;

export function ConversationList({ current, onChoose }: { current: string; onChoose: () => void }) {
  const self = useSelf().member;
  const { data: channels, error: channelsError, refetch: askChannels } = useChannels();
  const { data: roster, error: rosterError, refetch: askRoster } = useRoster();
  const { data: unread } = useUnread();
  const { data: objectives } = useObjectives();
  const titleByScope = useMemo(
    () => new Map(objectives?.objectives.map(({ id, title }) => [`obj:${id}`, title])),
    [objectives],
  );
  const presenceByName = new Map(roster?.connected.map((presence) => [presence.name as string, presence]));
  const unreadByScope = new Map(unread?.scopes.map((one) => [one.scope, one]));
  const joined = (channels?.channels ?? []).filter(
    (channel) => channel.joined && channel.archivedAt === null,
  );
  const threads = (unread?.scopes ?? []).filter(
    ({ scope, count }) => scope.startsWith('obj:') && (count > 0 || scope === current),
  );
  const present = new Set((roster?.teammates ?? []).map(({ name }) => `dm:${name}`));
  const former = (unread?.scopes ?? []).filter(({ scope }) => scope.startsWith('dm:') && !present.has(scope));
  /** What is the same for all kinds. */
  const about = (scope: string) => ({
    scope,
    isCurrent: scope === current,
    onChoose,
    count: unreadByScope.get(scope)?.count,
    mentions: unreadByScope.get(scope)?.mentions,
  });
  return (
    <nav aria-label="Conversations" className="h-full overflow-y-auto py-3">
      <Group title="Channels">
        {channels === undefined ? <Failed error={channelsError} onRetry={askChannels} /> : null}
        {joined.map(({ id, slug }) => (
          <Row key={id} {...about(id === 'general' ? 'general' : `chan:${id}`)} label={slug} />
        ))}
      </Group>
      {threads.length === 0 ? null : (
        <Group title="Objective threads">
          {threads.slice(0, threadsShown).map(({ scope }) => (
            <Row key={scope} {...about(scope)} label={titleByScope.get(scope) ?? scope.slice(4)} />
          ))}
          {threads.length > threadsShown ? (
            <li>
              <Link
                to="/app/objectives"
                className="flex h-8 items-center rounded-md px-2 text-sm text-soft hover:bg-hover hover:text-text"
              >
                and {threads.length - threadsShown} more with news
              </Link>
            </li>
          ) : null}
        </Group>
      )}
      <Group title="Direct messages">
        {roster === undefined ? <Failed error={rosterError} onRetry={askRoster} /> : null}
        {(roster?.teammates ?? []).map(({ name }) => (
          <Row
            key={name}
            {...about(`dm:${name}`)}
            label={name === self ? `${name} (you)` : name}
            member={name}
            presence={presenceByName.get(name)}
          />
        ))}
        {former.map(({ scope }) => (
          <Row key={scope} {...about(scope)} label={`${scope.slice(3)} (left)`} member={scope.slice(3)} />
        ))}
      </Group>
    </nav>
  );
}
