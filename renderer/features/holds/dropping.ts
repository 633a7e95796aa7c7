/** Posts that are dropped when their notice goes away without Undo. */
import type { BrokerClient } from '#protocol/client.ts';
import type { HeldPost } from '#protocol/held.ts';

const waiting = new Map<string, { post: HeldPost; drop: () => Promise<void> }>();

/** The post is shown nowhere, because the member has dropped it. */
export const isDropping = (id: string): boolean => waiting.has(id);

/** `drop`: tells the broker. */
export const willDrop = (post: HeldPost, drop: () => Promise<void>): void =>
  void waiting.set(post.id, { post, drop });

/** Returns false if the post is dropped already. */
export const keepAfterAll = (id: string): boolean => waiting.delete(id);

export async function dropNow(id: string): Promise<void> {
  const one = waiting.get(id);
  if (waiting.delete(id)) await one?.drop();
}

/** Releases a post after the earlier ones of its writer in the conversation are dropped, because the broker decides them in order. */
export async function releasePost(client: BrokerClient, id: string): Promise<void> {
  if (waiting.size > 0) {
    const { held } = await client.call('heldPosts', {});
    const released = held.find((post) => post.id === id);
    const earlier = [...waiting.values()].filter(
      ({ post }) => post.from === released?.from && post.scope === released.scope,
    );
    await Promise.all(earlier.map(({ post }) => dropNow(post.id)));
  }
  await client.call('releaseHeld', { params: { id } });
}
