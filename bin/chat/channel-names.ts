/**
 * The slugs of channels, for display. They are fetched when a post names one, and again a minute later,
 * because channels are renamed.
 */
import { type ChannelSlugs, readChannelSlugs } from '#client/channel-slugs.ts';
import type { BrokerClient } from '#protocol/client.ts';
import type { Message } from '#protocol/message.ts';
import { scopeOfThread } from '#protocol/scope.ts';

export interface ChannelNames {
  /** Learns the slug of the message's channel; if the broker does not answer, the id stays. */
  learn(message: Message): Promise<void>;
  /** The slug, if it was learned. */
  slugOf(message: Message): string | undefined;
}

const keptMs = 60_000;

function channelOf({ data: { thread } }: Message): string | undefined {
  const scope = scopeOfThread(thread);
  return scope?.kind === 'channel' ? scope.channelId : undefined;
}

export function createChannelNames(client: Pick<BrokerClient, 'call'>, clock = Date.now): ChannelNames {
  let slugById: ChannelSlugs = new Map();
  let readAt = Number.NEGATIVE_INFINITY;
  return {
    async learn(message) {
      const id = channelOf(message);
      if (id === undefined || (slugById.has(id) && clock() - readAt < keptMs)) return;
      try {
        slugById = await readChannelSlugs(client);
        readAt = clock();
      } catch {
        // The message matters more than the name of its channel.
      }
    },
    slugOf(message) {
      return slugById.get(channelOf(message) ?? '');
    },
  };
}
