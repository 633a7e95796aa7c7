/** Every conversation: general, joined channels, direct messages, and threads with unread messages. */
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { channelScope, formatScope } from '#protocol/scope.ts';
import { useObjectiveTitle } from '../../data/objective-titles.ts';
import { useChannels, useRoster, useUnread } from '../../data/queries.ts';
import { useSelf } from '../../data/self.tsx';
import { ErrorState } from '../../ui/states.tsx';
import { ConversationRow, type ConversationRowProps } from './conversation-row.tsx';
import { formerPartners, threadsWithNews } from './unread.rules.ts';

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

function ThreadRow({ objectiveId, ...row }: Omit<ConversationRowProps, 'label'> & { objectiveId: string }) {
  return <ConversationRow {...row} label={useObjectiveTitle(objectiveId) ?? objectiveId} />;
}

const maxThreads = 20;

export function ConversationList({ current, onChoose }: { current: string; onChoose: () => void }) {
  const self = useSelf().member;
  const { data: channels, error: channelsError, refetch: askChannels } = useChannels();
  const { data: roster, error: rosterError, refetch: askRoster } = useRoster();
  const { data: unread } = useUnread();
  const presenceByName = new Map(roster?.connected.map((presence) => [presence.name as string, presence]));
  const unreadByScope = new Map(unread?.scopes.map((one) => [one.scope, one]));
  const joined = (channels?.channels ?? []).filter(
    (channel) => channel.joined && channel.archivedAt === null,
  );
  const present = new Set<string>((roster?.teammates ?? []).map(({ name }) => name));
  const threads = threadsWithNews(unread?.scopes ?? [], current);
  const former = formerPartners(unread?.scopes ?? [], present);
  /** The properties that all kinds have in common. */
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
          <ConversationRow key={id} {...about(formatScope(channelScope(id)))} label={slug} />
        ))}
      </Group>
      {threads.length === 0 ? null : (
        <Group title="Objective threads">
          {threads.slice(0, maxThreads).map((id) => (
            <ThreadRow
              key={id}
              {...about(formatScope({ kind: 'objective', objectiveId: id }))}
              objectiveId={id}
            />
          ))}
          {threads.length > maxThreads ? (
            <li>
              <Link
                to="/app/objectives"
                className="flex h-8 items-center rounded-md px-2 text-sm text-soft hover:bg-hover hover:text-text"
              >
                and {unread?.more === true ? 'at least ' : ''}
                {threads.length - maxThreads} more with unread messages
              </Link>
            </li>
          ) : null}
        </Group>
      )}
      <Group title="Direct messages">
        {roster === undefined ? <Failed error={rosterError} onRetry={askRoster} /> : null}
        {(roster?.teammates ?? []).map(({ name }) => (
          <ConversationRow
            key={name}
            {...about(formatScope({ kind: 'direct', member: name }))}
            label={name === self ? `${name} (you)` : name}
            member={name}
            presence={presenceByName.get(name)}
          />
        ))}
        {former.map((name) => (
          <ConversationRow
            key={name}
            {...about(formatScope({ kind: 'direct', member: name }))}
            label={`${name} (left)`}
            member={name}
          />
        ))}
      </Group>
      {unread?.more === true ? (
        <p className="px-4 pb-3 text-xs text-faint">
          Only the conversations with the newest messages are counted. Others may have unread messages; the
          console counts them when you have read these.
        </p>
      ) : null}
    </nav>
  );
}
