/** Conversations: the list on the left, and one conversation or the search on the right. */

import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { PanelLeft } from 'lucide-react';
import { useCallback, useState } from 'react';
import { counted } from '#protocol/counted.ts';
import { parseScope, type Scope } from '#protocol/scope.ts';
import { useChannels, useRoster } from '../../data/queries.ts';
import { PresenceMark } from '../../ui/avatar.tsx';
import { IconButton, linkClass } from '../../ui/button.tsx';
import { cx } from '../../ui/class-names.ts';
import { useDocumentTitle } from '../../ui/document-title.ts';
import { SearchInput } from '../../ui/field.tsx';
import { PrivateMark } from '../../ui/private-mark.tsx';
import { ChannelLayers } from '../channels/channel-layers.tsx';
import { Conversation } from './conversation.tsx';
import { ConversationList } from './conversation-list.tsx';
import { ConversationOptions } from './conversation-options.tsx';
import { SearchPanel } from './search-panel.tsx';
import { useScopeName } from './shown-scope.tsx';

function DirectSubtitle({ name }: { name: string }) {
  const { data: roster } = useRoster();
  return (
    <span className="flex items-center gap-3 text-sm text-soft">
      <span tabIndex={-1} className="short-heading">
        {roster?.teammates.find((member) => member.name === name)?.role.title}
      </span>
      <PresenceMark presence={roster?.connected.find((member) => member.name === name)} />
    </span>
  );
}

function ChannelSubtitle({ channelId }: { channelId: string }) {
  const { data } = useChannels();
  const channel = data?.channels.find(({ id }) => id === channelId);
  return channel === undefined ? null : (
    <span className="flex items-center gap-2 text-sm text-soft">
      {channel.private ? <PrivateMark /> : null}
      {counted(channel.memberCount, 'member')}
    </span>
  );
}

function Subtitle({ scope }: { scope: Scope }) {
  switch (scope.kind) {
    case 'direct':
      return <DirectSubtitle name={scope.member} />;
    case 'objective':
      return (
        <Link
          to="/app/objectives/$id"
          params={{ id: scope.objectiveId }}
          className={cx(linkClass, 'text-sm')}
        >
          Open the objective
        </Link>
      );
    case 'channel':
      return <ChannelSubtitle channelId={scope.channelId} />;
    case 'general':
      return <ChannelSubtitle channelId="general" />;
  }
}

export function ConversationsScreen() {
  const { scope } = useParams({ from: '/app/conversations/$scope' });
  const { message, search } = useSearch({ from: '/app/conversations/$scope' });
  const navigate = useNavigate({ from: '/app/conversations/$scope' });
  const name = useScopeName(scope);
  const parsed = parseScope(scope);
  // On a phone, either the list or the conversation is shown; choosing a conversation opens it.
  const [listOver, setListOver] = useState<string | null>(null);
  const isListOver = listOver === scope;
  const showConversation = useCallback(() => setListOver(null), []);
  const isSearching = search !== undefined;
  useDocumentTitle(isSearching ? 'Search results' : name);
  return (
    <div className="flex h-full min-h-0">
      <div
        className={cx(
          'flex w-60 shrink-0 flex-col border-r border-line bg-surface max-lg:w-48 max-sm:w-full',
          !isListOver && 'max-sm:hidden',
        )}
      >
        {isListOver ? <h1 className="px-4 pt-3 text-lg font-semibold sm:hidden">Messages</h1> : null}
        <ConversationList current={scope} isOpen={!isSearching} onChoose={showConversation} />
      </div>
      <ChannelLayers />
      <div className={cx('flex min-w-0 flex-1 flex-col bg-surface', isListOver && 'max-sm:hidden')}>
        <header className="flex min-h-12 flex-wrap items-center justify-between gap-2 border-b border-line px-4 py-2">
          <div className="flex min-w-0 flex-wrap items-center gap-x-3">
            <div className="flex min-w-0 items-center gap-x-3">
              <span className="-ml-2 sm:hidden">
                <IconButton label="All conversations" onClick={() => setListOver(scope)}>
                  <PanelLeft />
                </IconButton>
              </span>
              <h1 tabIndex={-1} className="short-heading text-lg font-semibold">
                {isSearching ? 'Search results' : name}
              </h1>
            </div>
            {parsed === undefined || isSearching ? null : <Subtitle scope={parsed} />}
          </div>
          <div className="flex items-center gap-1 max-sm:w-full">
            <SearchInput
              label="Search messages and objectives"
              placeholder="Search messages"
              value={search ?? ''}
              onText={(text) => void navigate({ search: { search: text || undefined }, replace: true })}
              className="w-64 max-sm:w-full"
            />
            <ConversationOptions scope={scope} />
          </div>
        </header>
        {isSearching ? (
          <div className="min-h-0 flex-1 overflow-y-auto">
            <SearchPanel query={search} />
          </div>
        ) : (
          <Conversation key={scope} scope={scope} sought={message} />
        )}
      </div>
    </div>
  );
}
