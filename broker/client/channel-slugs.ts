/** The names of channels, which messages name by id. */
import type { BrokerClient } from '#protocol/client.ts';
import { channelPages } from '#protocol/lists.ts';
import { allOf } from '#protocol/pages.ts';

/** Slugs of channels by their ids. */
export type ChannelSlugs = ReadonlyMap<string, string>;

/** Reads the slugs of all channels that the member may see. @throws like the client. */
export async function readChannelSlugs(client: Pick<BrokerClient, 'call'>): Promise<ChannelSlugs> {
  const channels = await allOf(channelPages(client));
  return new Map(channels.map(({ id, slug }) => [id, slug]));
}
