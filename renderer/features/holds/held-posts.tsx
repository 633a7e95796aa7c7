/** Posts of agents that wait for a person: what they say, and the decision (docs/specification/messages.md#held-posts). */

import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { counted } from '#protocol/counted.ts';
import type { HeldList, HeldPost } from '#protocol/held.ts';
import { useBroker } from '../../data/broker.tsx';
import { keys } from '../../data/keys.ts';
import { useHeldPosts } from '../../data/queries.ts';
import { useMay } from '../../data/self.tsx';
import { Button } from '../../ui/button.tsx';
import { cx } from '../../ui/class-names.ts';
import { useFocusBeside } from '../../ui/focus-beside.ts';
import { Section } from '../../ui/page.tsx';
import { ErrorState, FormError } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { toast, toastError, toastWithUndo } from '../../ui/toast.ts';
import { ShownScope } from '../conversations/shown-scope.tsx';

const why: Record<HeldPost['reason'], (post: HeldPost) => string> = {
  hops: ({ hops }) => `${counted(hops, 'post')} by agents in a row`,
  rate: () => 'faster than a person can follow',
};

/** The text field of the conversation, or else what scrolls. */
const afterLast = (line: HTMLElement): HTMLElement | null | undefined =>
  line.closest('main')?.querySelector<HTMLElement>('form textarea') ??
  line.parentElement?.closest<HTMLElement>('[tabindex]');

/** Posts whose notices offer Undo, and what drops each of them. */
const dropping = new Map<string, { post: HeldPost; drop: () => Promise<void> }>();

/** The broker releases no post before the earlier ones of its writer in the conversation are decided. */
const dropEarlier = ({ from, scope }: HeldPost) =>
  Promise.all(
    [...dropping.values()].map(({ post, drop }) => post.from === from && post.scope === scope && drop()),
  );

/** Returns what hides a post, and drops it when its notice goes away without Undo. */
function useDrop(): (post: HeldPost) => void {
  const { client } = useBroker();
  const cache = useQueryClient();
  return (post) => {
    const { id } = post;
    const settle = () => void cache.invalidateQueries({ queryKey: keys.held });
    async function drop(): Promise<void> {
      if (!dropping.delete(id)) return;
      await client.call('dropHeld', { params: { id } }).catch(toastError);
      settle();
    }
    function undo(): void {
      if (dropping.delete(id)) settle();
      else toast('The post is already dropped', `A later post of ${post.from} was released.`);
    }
    dropping.set(id, { post, drop });
    cache.setQueryData(keys.held, (list: HeldList | undefined) =>
      list === undefined ? list : { held: list.held.filter((one) => one.id !== id) },
    );
    toastWithUndo('The post was dropped', undo, () => void drop());
  };
}

function HeldLine({ post, mayDecide }: { post: HeldPost; mayDecide: boolean }) {
  const { client } = useBroker();
  const cache = useQueryClient();
  const line = useRef<HTMLLIElement>(null);
  useFocusBeside(line, afterLast);
  // A link can lead here before the posts have arrived.
  useEffect(() => {
    if (location.hash === `#held-${post.id}`) line.current?.focus();
  }, [post.id]);
  const drop = useDrop();
  const release = useMutation({
    async mutationFn() {
      await dropEarlier(post);
      return client.call('releaseHeld', { params: { id: post.id } });
    },
    onSuccess: () => toast('The post was released'),
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
        <FormError error={release.error} />
      </div>
      {mayDecide ? (
        <div className="flex gap-2">
          <Button isBusy={release.isPending} onClick={() => release.mutate()}>
            Release
          </Button>
          <Button look="danger" isBusy={release.isPending} onClick={() => drop(post)}>
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
  const held = (data?.held ?? []).filter(
    (post) => !dropping.has(post.id) && (scope === undefined || post.scope === scope),
  );
  if (held.length === 0) return null;
  return (
    <Section title={`${counted(held.length, 'post')} of agents held`}>
      <p className="px-4 pt-3 text-sm text-soft">
        Nobody has received {held.length === 1 ? 'it' : 'them'}.{' '}
        {mayDecide
          ? 'Release or drop each post, beginning with the oldest.'
          : 'A member with members.manage decides.'}
      </p>
      <ul className={cx('overflow-y-auto', scope === undefined ? 'max-h-72' : 'max-h-[20vh]')}>
        {held.map((post) => (
          <HeldLine key={post.id} post={post} mayDecide={mayDecide} />
        ))}
      </ul>
    </Section>
  );
}
