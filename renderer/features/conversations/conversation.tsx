/** One conversation: the posts that are held in it, its messages, and the field to write in. */
import { useState } from 'react';
import { parseScope } from '#protocol/scope.ts';
import { useChannels, useRoster } from '../../data/queries.ts';
import { HeldPosts } from '../holds/held-posts.tsx';
import { Composer } from './composer.tsx';
import { useScopeName } from './shown-scope.tsx';
import { Thread } from './thread.tsx';

/** Returns why nothing can be written in this conversation; null if it is open. */
function useClosed(name: string): string | null {
  const { data: channels } = useChannels();
  const { data: roster } = useRoster();
  const scope = parseScope(name);
  if (scope?.kind === 'channel') {
    const channel = channels?.channels.find(({ id }) => id === scope.channelId);
    if (channel?.archivedAt != null) return 'This channel is archived. You can read it, but not post to it.';
  }
  const hasLeft =
    scope?.kind === 'direct' &&
    roster !== undefined &&
    !roster.teammates.some((member) => member.name === scope.member);
  return hasLeft ? 'This member has left the team.' : null;
}

interface ConversationProps {
  /** In text form. */
  scope: string;
  /** The id of a message to show. */
  sought?: string | undefined;
  /** False if the held posts are shown elsewhere. */
  hasHeldPosts?: boolean;
  /** The field has the focus when the conversation opens. */
  isForWriting?: boolean;
}

export function Conversation({
  scope,
  sought,
  hasHeldPosts = true,
  isForWriting = false,
}: ConversationProps) {
  const name = useScopeName(scope);
  const closed = useClosed(scope);
  const [isReadable, setReadable] = useState(true);
  return (
    <>
      {hasHeldPosts ? <HeldPosts isShown={(post) => post.scope === scope} /> : null}
      <div className="min-h-0 flex-1">
        <Thread
          key={scope}
          scope={scope}
          sought={sought}
          canPost={closed === null}
          onReadable={setReadable}
        />
      </div>
      {closed === null && isReadable ? (
        <Composer key={scope} scope={scope} label={name} hasFocus={isForWriting} />
      ) : null}
      {closed === null ? null : <p className="border-t border-line px-4 py-3 text-soft">{closed}</p>}
    </>
  );
}
