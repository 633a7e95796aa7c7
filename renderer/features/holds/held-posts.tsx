/** Posts of agents that wait for a person: what they say, and the decision (docs/specification/messages.md#held-posts). */

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { counted } from '#protocol/counted.ts';
import type { HeldPost } from '#protocol/held.ts';
import { useBroker } from '../../data/broker.tsx';
import { keys } from '../../data/keys.ts';
import { useHeldPosts } from '../../data/queries.ts';
import { useMay } from '../../data/self.tsx';
import { Button } from '../../ui/button.tsx';
import { useFocusBeside } from '../../ui/focus-beside.ts';
import { Section } from '../../ui/page.tsx';
import { ErrorState, FormError } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { toast } from '../../ui/toast.ts';
import { ShownScope } from '../conversations/shown-scope.tsx';

const why: Record<HeldPost['reason'], (post: HeldPost) => string> = {
  hops: ({ hops }) => `${counted(hops, 'post')} by agents in a row`,
  rate: () => 'faster than a person can follow',
};

/** The text field of the conversation, or else what scrolls. */
const afterLast = (line: HTMLElement): HTMLElement | null | undefined =>
  line.closest('main')?.querySelector<HTMLElement>('form textarea') ??
  line.parentElement?.closest<HTMLElement>('[tabindex]');

function HeldLine({ post, mayDecide }: { post: HeldPost; mayDecide: boolean }) {
  const { client } = useBroker();
  const cache = useQueryClient();
  const line = useRef<HTMLLIElement>(null);
  useFocusBeside(line, afterLast);
  // A link can lead here before the posts have arrived.
  useEffect(() => {
    if (location.hash === `#held-${post.id}`) line.current?.focus();
  }, [post.id]);
  const decide = useMutation({
    mutationFn: async (isReleased: boolean) => {
      const params = { id: post.id };
      await (isReleased ? client.call('releaseHeld', { params }) : client.call('dropHeld', { params }));
      return isReleased;
    },
    onSuccess: (isReleased) => toast(isReleased ? 'The post was released' : 'The post was dropped'),
    onSettled: () => cache.invalidateQueries({ queryKey: keys.held }),
  });
  return (
    <li
      ref={line}
      id={`held-${post.id}`}
      tabIndex={-1}
      className="flex flex-wrap items-start gap-3 px-4 py-2 -outline-offset-2 focus:bg-selected"
    >
      <div className="min-w-48 flex-1">
        <p className="text-sm text-soft">
          <span className="font-medium text-text">{post.from}</span> →{' '}
          {post.to ?? <ShownScope scope={post.scope} />} · {why[post.reason](post)} · <Time at={post.at} />
        </p>
        {post.title === null ? null : <p className="font-medium break-words">{post.title}</p>}
        <p className="break-words whitespace-pre-wrap">{post.excerpt}</p>
        {post.attachments.length === 0 ? null : (
          <p className="text-sm break-words text-soft">Attached: {post.attachments.join(', ')}</p>
        )}
        <FormError error={decide.error} />
      </div>
      {mayDecide ? (
        <div className="flex gap-2">
          <Button isBusy={decide.isPending} onClick={() => decide.mutate(true)}>
            Release
          </Button>
          <Button look="danger" isBusy={decide.isPending} onClick={() => decide.mutate(false)}>
            Drop
          </Button>
        </div>
      ) : null}
    </li>
  );
}

/** Shows nothing while nothing is held. `scope`: only of this conversation. */
export function HeldPosts({ scope }: { scope?: string }) {
  const { data, error, refetch } = useHeldPosts();
  const mayDecide = useMay('releaseHeld');
  if (data === undefined && error !== null)
    return scope === undefined ? <ErrorState error={error} onRetry={() => void refetch()} /> : null;
  const held = (data?.held ?? []).filter((post) => scope === undefined || post.scope === scope);
  if (held.length === 0) return null;
  return (
    <Section title={`${counted(held.length, 'post')} of agents held`}>
      <p className="px-4 pt-3 text-sm text-soft">
        Nobody has received {held.length === 1 ? 'it' : 'them'}.{' '}
        {mayDecide
          ? 'Release or drop each post, beginning with the oldest.'
          : 'A member with members.manage decides.'}
      </p>
      <ul className="max-h-72 overflow-y-auto">
        {held.map((post) => (
          <HeldLine key={post.id} post={post} mayDecide={mayDecide} />
        ))}
      </ul>
    </Section>
  );
}
