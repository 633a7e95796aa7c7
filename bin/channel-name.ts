/**
 * Channels as people name them: by slug, with or without "#". Messages name them by id, which no slug
 * resembles.
 */
import { ChannelSlug, generalSlug } from '#protocol/channel.ts';
import type { BrokerClient } from '#protocol/client.ts';
import { ChannelId, generalChannelId } from '#protocol/ids.ts';
import { UsageError } from './usage-error.ts';

/** @throws UsageError for what cannot be a slug. */
export function slugOf(written: string): string {
  const slug = written.replace(/^#/, '');
  const checked = ChannelSlug.safeParse(slug);
  if (!checked.success)
    throw new UsageError(`"${slug}" is not a valid channel name: it ${checked.error.issues[0]?.message}`);
  return checked.data;
}

/** @throws UsageError, or BrokerError not_found if there is no such channel. */
export async function channelIdOf(client: BrokerClient, written: string): Promise<string> {
  if (ChannelId.safeParse(written).success) return written;
  const slug = slugOf(written);
  if (slug === generalSlug) return generalChannelId;
  return (await client.call('channel', { params: { slug } })).channel.id;
}
