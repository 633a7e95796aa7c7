/** Every conversation: general and joined channels, direct ones, threads with something unread. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useChannels, useObjectives, useRoster, useSelf, useUnread } from '../../data/queries.ts';
import { Avatar, PresenceMark } from '../../ui/avatar.tsx';
import { CountBadge } from '../../ui/badge.tsx';
import { cx } from '../../ui/class-names.ts';

function Row({
  scope,
  current,
  label,
  icon,
  trailing,
}: {
  scope: string;
  current: string;
  label: string;
  icon?: ReactNode;
  trailing?: ReactNode;
}) {
  const { data: unread } = useUnread();
  const found = unread?.scopes.find((one) => one.scope === scope);
  const count = found?.count ?? 0;
  return (
    <li>
      <Link
        to="/app/conversations/$scope"
        params={{ scope }}
        aria-current={scope === current ? 'page' : undefined}
        className={cx(
          'flex h-8 items-center gap-2 rounded-md px-2 text-soft hover:bg-hover hover:text-text',
          scope === current && 'bg-selected text-text',
          count > 0 && 'font-semibold text-text',
        )}
      >
        {icon}
        <span className="min-w-0 flex-1 truncate">{label}</span>
        {trailing}
        <CountBadge
          count={count}
          isMention={(found?.mentions ?? 0) > 0 || (scope.startsWith('dm:') && count > 0)}
          name={`in ${label}`}
        />
      </Link>
    </li>
  );
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section aria-label={title} className="px-2 pb-3">
      <h2 className="px-2 py-1 text-xs font-medium text-faint">{title}</h2>
      <ul>{children}</ul>
    </section>
  );
}

export function ConversationList({ current }: { current: string }) {
  const self = useSelf().member;
  const { data: channels } = useChannels();
  const { data: roster } = useRoster();
  const { data: unread } = useUnread();
  const { data: objectives } = useObjectives();
  const presenceByName = new Map(roster?.connected.map((presence) => [presence.name as string, presence]));
  const joined = (channels?.channels ?? []).filter(
    (channel) => channel.joined && channel.archivedAt === null,
  );
  const threads = (unread?.scopes ?? []).filter(
    ({ scope, count }) => scope.startsWith('obj:') && (count > 0 || scope === current),
  );
  const present = new Set((roster?.teammates ?? []).map(({ name }) => `dm:${name}`));
  const former = (unread?.scopes ?? []).filter(({ scope }) => scope.startsWith('dm:') && !present.has(scope));
  return (
    <nav aria-label="Conversations" className="h-full overflow-y-auto py-3">
      <Group title="Channels">
        {joined.map(({ id, slug }) => (
          <Row
            key={id}
            scope={id === 'general' ? 'general' : `chan:${id}`}
            current={current}
            label={slug}
            icon={<span className="w-5 text-center text-faint">#</span>}
          />
        ))}
      </Group>
      {threads.length === 0 ? null : (
        <Group title="Objective threads">
          {threads.map(({ scope }) => (
            <Row
              key={scope}
              scope={scope}
              current={current}
              label={objectives?.objectives.find(({ id }) => `obj:${id}` === scope)?.title ?? scope.slice(4)}
            />
          ))}
        </Group>
      )}
      <Group title="Direct messages">
        {(roster?.teammates ?? []).map(({ name }) => (
          <Row
            key={name}
            scope={`dm:${name}`}
            current={current}
            label={name === self ? `${name} (you)` : name}
            icon={<Avatar name={name} size="small" />}
            trailing={<PresenceMark presence={presenceByName.get(name)} isCompact />}
          />
        ))}
        {former.map(({ scope }) => (
          <Row
            key={scope}
            scope={scope}
            current={current}
            label={`${scope.slice(3)} (left)`}
            icon={<Avatar name={scope.slice(3)} size="small" />}
          />
        ))}
      </Group>
    </nav>
  );
}
