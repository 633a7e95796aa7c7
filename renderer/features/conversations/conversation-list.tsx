/** Every conversation: unread ones, favorites, direct messages, joined channels, and threads with unread messages. */
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { CheckCheck, Compass, Plus } from 'lucide-react';
import { useState } from 'react';
import type { Presence } from '#protocol/presence.ts';
import { channelScope, formatScope, type Scope } from '#protocol/scope.ts';
import { keysOf } from '../../commands/registry.ts';
import { useBroker } from '../../data/broker.tsx';
import { useObjectiveTitle } from '../../data/objective-titles.ts';
import { refetchUnread, useChannels, useRoster, useUnread } from '../../data/queries.ts';
import { useSelf } from '../../data/self.tsx';
import { useMutation } from '../../data/use-mutation.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { openingLayer } from '../../ui/layers.ts';
import { ErrorState } from '../../ui/states.tsx';
import { toastError, toastWithUndo } from '../../ui/toast.ts';
import { ConversationRow, type ConversationRowProps } from './conversation-row.tsx';
import { ConversationSection } from './conversation-section.tsx';
import { markAllRead, maxMarkedAtOnce } from './mark-all-read.ts';
import { usePreferences } from './preferences.ts';
import { type Conversation, sectionsOf, shownCount } from './sections.rules.ts';
import { formerPartners, threadsWithNews } from './unread.rules.ts';

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

/** A conversation with everything that its row shows. */
interface Listed extends Conversation {
  label: string;
  member?: string;
  presence?: Presence | undefined;
  objectiveId?: string;
  isPrivate?: boolean;
}

/** Returns all conversations of the member, in the order of their kinds. */
function useListed(current: string): Listed[] {
  const self = useSelf().member;
  const { data: channels } = useChannels();
  const { data: roster } = useRoster();
  const { data: unread } = useUnread();
  const presenceByName = new Map(roster?.connected.map((presence) => [presence.name as string, presence]));
  const unreadByScope = new Map(unread?.scopes.map((one) => [one.scope, one]));
  const present = new Set<string>((roster?.teammates ?? []).map(({ name }) => name));
  const of = (named: Scope, about: Omit<Listed, 'scope' | 'count' | 'mentions'>): Listed => {
    const scope = formatScope(named);
    const { count = 0, mentions = 0 } = unreadByScope.get(scope) ?? {};
    return { scope, count, mentions, ...about };
  };
  const direct = (member: string, label: string) =>
    of({ kind: 'direct', member }, { kind: 'direct', label, member, presence: presenceByName.get(member) });
  return [
    ...[...present].map((name) => direct(name, name === self ? `${name} (you)` : name)),
    ...(roster === undefined ? [] : formerPartners(unread?.scopes ?? [], present)).map((name) =>
      direct(name, `${name} (left)`),
    ),
    ...(channels?.channels ?? [])
      .filter(({ joined, archivedAt }) => joined && archivedAt === null)
      .map(({ id, slug, private: isPrivate = false }) =>
        of(channelScope(id), { kind: 'channel', label: slug, isPrivate }),
      ),
    ...threadsWithNews(unread?.scopes ?? [], current).map((objectiveId) =>
      of({ kind: 'objective', objectiveId }, { kind: 'thread', label: objectiveId, objectiveId }),
    ),
  ];
}

/** Returns the open conversation as it was when it was opened, because it must not jump away from the pointer; null until that is known. */
function useKept(open: Listed | undefined): Listed | null {
  const [kept, setKept] = useState(open);
  if (kept?.scope !== open?.scope) setKept(open);
  return kept?.scope === open?.scope ? (kept ?? null) : null;
}

/** `count`: the conversations that were unread. */
const markedSentence = (count: number): string =>
  count <= maxMarkedAtOnce
    ? 'All conversations are marked as read'
    : `${maxMarkedAtOnce} conversations are marked as read, and others are still unread`;

function MarkAllRead({ scopes }: { scopes: readonly string[] }) {
  const { client } = useBroker();
  const cache = useQueryClient();
  const mark = useMutation({
    mutationFn: () => markAllRead(client, scopes),
    onSuccess: (undo) =>
      toastWithUndo(markedSentence(scopes.length), () => {
        undo()
          .then(() => refetchUnread(cache))
          .catch(toastError);
      }),
    onError: toastError,
    onSettled: () => refetchUnread(cache),
  });
  if (scopes.length === 0) return null;
  return (
    <div className="px-2 pb-2">
      <Button look="quiet" size="small" isBusy={mark.isPending} onClick={() => mark.mutate()}>
        <CheckCheck className="size-3.5" />
        Mark all as read
      </Button>
    </div>
  );
}

function ChannelActions() {
  const navigate = useNavigate({ from: '/app/conversations/$scope' });
  return (
    <>
      <IconButton
        label="Browse channels"
        shortcut={keysOf('channels')}
        className="size-6!"
        onClick={() => void navigate({ search: (search) => ({ ...search, browse: true }), ...openingLayer })}
      >
        <Compass />
      </IconButton>
      <IconButton
        label="New channel"
        className="size-6!"
        onClick={() => void navigate({ search: (search) => ({ ...search, create: true }), ...openingLayer })}
      >
        <Plus />
      </IconButton>
    </>
  );
}

const titles = ['Unread', 'Favorites', 'Direct messages', 'Channels', 'Objective threads'] as const;
/** They are there if they have something in them. */
const isOptional: readonly string[] = ['Unread', 'Favorites', 'Objective threads'];

interface ConversationListProps {
  /** The conversation in the address. */
  current: string;
  /** False if something else is shown in its place. */
  isOpen: boolean;
  onChoose: () => void;
}

export function ConversationList({ current, isOpen, onChoose }: ConversationListProps) {
  const channels = useChannels();
  const roster = useRoster();
  const { data: unread } = useUnread();
  const preferences = usePreferences();
  const { muted, collapsed, toggle } = preferences;
  const listed = useListed(current);
  const kept = useKept(unread && listed.find(({ scope }) => scope === current));
  const sections = sectionsOf(listed, preferences, kept);
  const failures = { 'Direct messages': roster, Channels: channels } as const;
  const rowOf = ({ scope, label, kind, member, presence, objectiveId, mentions, ...one }: Listed) => {
    const isMuted = muted.has(scope);
    const row = {
      scope,
      isCurrent: isOpen && scope === current,
      isMuted,
      onChoose,
      count: shownCount({ scope, mentions, count: one.count }, muted),
      mentions,
    };
    if (kind === 'thread') return <ThreadRow key={scope} {...row} objectiveId={objectiveId ?? ''} />;
    return (
      <ConversationRow
        key={scope}
        {...row}
        label={label}
        presence={presence}
        isPrivate={one.isPrivate ?? false}
        {...(member !== undefined && { member })}
      />
    );
  };
  return (
    <nav aria-label="Conversations" className="h-full overflow-y-auto py-3">
      <MarkAllRead scopes={(unread?.scopes ?? []).flatMap(({ scope, count }) => (count > 0 ? scope : []))} />
      {titles.map((title) => {
        const found = sections[title];
        const failed = title === 'Direct messages' || title === 'Channels' ? failures[title] : undefined;
        if (found.length === 0 && isOptional.includes(title)) return null;
        const isCollapsed = collapsed.has(title);
        const threads = found.filter(({ kind }) => kind === 'thread');
        const hidden = new Set(threads.slice(maxThreads));
        return (
          <ConversationSection
            key={title}
            title={title}
            isCollapsed={isCollapsed}
            onToggle={() => toggle('collapsed', title)}
            actions={title === 'Channels' ? <ChannelActions /> : null}
          >
            {failed?.data === undefined ? (
              <Failed error={failed?.error ?? null} onRetry={() => failed?.refetch()} />
            ) : null}
            {found.filter((one) => !hidden.has(one) && (!isCollapsed || one.scope === current)).map(rowOf)}
            {hidden.size > 0 && !isCollapsed ? (
              <li>
                <Link
                  to="/app/objectives"
                  search={{ status: 'any' }}
                  className="flex h-8 items-center rounded-md px-2 text-sm text-soft hover:bg-hover hover:text-text"
                >
                  and {unread?.more === true ? 'at least ' : ''}
                  {hidden.size} more with unread messages
                </Link>
              </li>
            ) : null}
          </ConversationSection>
        );
      })}
      {unread?.more === true ? (
        <p className="px-4 pb-3 text-xs text-faint">
          Only the conversations with the newest messages are counted. Others may have unread messages; the
          console counts them when you have read these.
        </p>
      ) : null}
    </nav>
  );
}
