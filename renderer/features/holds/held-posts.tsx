/** Posts of agents that wait for a person: what they say, and the decision (docs/specification/messages.md#held-posts). */

import { useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { counted } from '#protocol/counted.ts';
import { BrokerError } from '#protocol/errors.ts';
import type { HeldList, HeldPost } from '#protocol/held.ts';
import { useBroker } from '../../data/broker.tsx';
import { keys } from '../../data/keys.ts';
import { useHeldPosts } from '../../data/queries.ts';
import { useMay } from '../../data/self.tsx';
import { Button } from '../../ui/button.tsx';
import { useFocusBeside } from '../../ui/focus-beside.ts';
import { Section } from '../../ui/page.tsx';
import { FormError } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { toast, toastError, toastWithUndo } from '../../ui/toast.ts';
import { ShownScope } from '../conversations/shown-scope.tsx';
import { dropNow, keepAfterAll, useDropping, willDrop } from './dropping.ts';
import { useReleasePost } from './use-release-post.ts';

const why: Record<HeldPost['reason'], (post: HeldPost) => string> = {
  hops: ({ hops }) => `${counted(hops, 'post')} by agents in a row`,
  rate: () => 'faster than a person can follow',
};

/** The text field of the conversation, or else what scrolls. */
const afterLast = (line: HTMLElement): HTMLElement | null | undefined =>
  line.closest('main')?.querySelector<HTMLElement>('form textarea') ??
  line.parentElement?.closest<HTMLElement>('[tabindex]');

const isGone = (error: unknown): boolean => error instanceof BrokerError && error.status === 404;
/** In another tab, too, the member or somebody else may have decided. */
const sayDecided = (): void =>
  toast('The post does not wait anymore', 'It was released or dropped in the meantime.');

/** Returns what hides a post, and drops it when its notice goes away without Undo. */
function useDrop(): (post: HeldPost) => void {
  const { client } = useBroker();
  const cache = useQueryClient();
  return (post) => {
    const { id } = post;
    willDrop(post, async () => {
      await client
        .call('dropHeld', { params: { id } })
        .catch((error) => (isGone(error) ? sayDecided() : toastError(error)));
      await Promise.all([keys.held, keys.inbox].map((queryKey) => cache.invalidateQueries({ queryKey })));
    });
    const undo = async () => {
      if (!keepAfterAll(id))
        return toast('The post is already dropped', `A later post of ${post.from} was released.`);
      await cache.refetchQueries({ queryKey: keys.held });
      const list = cache.getQueryData<HeldList>(keys.held);
      if (list?.held.some((one) => one.id === id) === false) sayDecided();
    };
    toastWithUndo(
      'The post was dropped',
      () => void undo(),
      () => void dropNow(id),
    );
  };
}

function HeldLine({ post, mayDecide }: { post: HeldPost; mayDecide: boolean }) {
  const line = useRef<HTMLLIElement>(null);
  useFocusBeside(line, afterLast);
  const drop = useDrop();
  const release = useReleasePost();
  return (
    <li ref={line} id={`held-${post.id}`} className="flex flex-wrap items-start gap-3 px-4 py-2">
      <div className="min-w-48 flex-1">
        <p className="text-sm text-soft">
          <span className="font-medium text-text">{post.from}</span> →{' '}
          {post.to ?? <ShownScope scope={post.scope} />} · {why[post.reason](post)} · <Time at={post.at} />
        </p>
        {post.title === null ? null : <p className="font-medium">{post.title}</p>}
        <p className="whitespace-pre-wrap">{post.excerpt}</p>
        {post.attachments.length === 0 ? null : (
          <p className="text-sm text-soft">Attached: {post.attachments.join(', ')}</p>
        )}
        <FormError error={release.error} />
      </div>
      {mayDecide ? (
        <div className="flex gap-2">
          <Button isBusy={release.isPending} onClick={() => release.mutate(post.id)}>
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

/** Shows nothing while no such post is held. */
export function HeldPosts({ isShown }: { isShown: (post: HeldPost) => boolean }) {
  const { data } = useHeldPosts();
  const dropping = useDropping();
  const mayDecide = useMay('releaseHeld');
  const held = (data?.held ?? []).filter((post) => !dropping.has(post.id) && isShown(post));
  if (held.length === 0) return null;
  return (
    <div className="border-b border-line">
      <Section title={`${counted(held.length, 'post')} of agents held`}>
        <p className="px-4 pt-3 text-sm text-soft">
          Nobody has received {held.length === 1 ? 'it' : 'them'}.{' '}
          {mayDecide
            ? 'Release or drop each post, beginning with the oldest.'
            : 'A member who may manage members decides.'}
        </p>
        <ul className="max-h-[20vh] overflow-y-auto">
          {held.map((post) => (
            <HeldLine key={post.id} post={post} mayDecide={mayDecide} />
          ))}
        </ul>
      </Section>
    </div>
  );
}
