/** Posts that are dropped when their notice, or the page, goes away without Undo. */
import { useSyncExternalStore } from 'react';
import type { BrokerClient } from '#protocol/client.ts';
import type { HeldPost } from '#protocol/held.ts';
import { createListeners } from '../../listeners.ts';

interface Dropping {
  post: HeldPost;
  /** Tells the broker, and reads again what it holds. */
  drop: () => Promise<void>;
  /** The broker was told, so that the post cannot be kept anymore. */
  isSent: boolean;
}

/** By the id of the post. Each change makes another map. */
let waiting: ReadonlyMap<string, Dropping> = new Map();
const { subscribe, tell } = createListeners();

function set(id: string, one: Dropping | undefined): void {
  const next = new Map(waiting);
  if (one === undefined) next.delete(id);
  else next.set(id, one);
  waiting = next;
  tell();
}

/** Returns the posts that are shown nowhere, because the member has dropped them, by their ids. */
export const useDropping = (): ReadonlyMap<string, unknown> => useSyncExternalStore(subscribe, () => waiting);

export const willDrop = (post: HeldPost, drop: () => Promise<void>): void =>
  set(post.id, { post, drop, isSent: false });

/** Returns false if the post is dropped already. */
export function keepAfterAll(id: string): boolean {
  if (waiting.get(id)?.isSent !== false) return false;
  set(id, undefined);
  return true;
}

export async function dropNow(id: string): Promise<void> {
  const one = waiting.get(id);
  if (one?.isSent !== false) return;
  set(id, { ...one, isSent: true });
  await one.drop();
  set(id, undefined);
}

addEventListener('pagehide', () => {
  for (const id of waiting.keys()) void dropNow(id);
});

/** Releases a post after the earlier ones of its writer in the conversation are dropped, because the broker decides them in order. */
export async function releasePost(client: BrokerClient, id: string): Promise<void> {
  if (waiting.size > 0) {
    const { held } = await client.call('heldPosts', {});
    const at = held.findIndex((post) => post.id === id);
    const earlier = held
      .slice(0, Math.max(0, at))
      .filter(({ from, scope }) => from === held[at]?.from && scope === held[at]?.scope);
    await Promise.all(earlier.map((post) => dropNow(post.id)));
  }
  await client.call('releaseHeld', { params: { id } });
}
