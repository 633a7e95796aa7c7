/** The slugs of channels, for what is shown. Read when a post names one, and again a minute later: channels are renamed. */
import type { BrokerClient } from '#protocol/client.ts';
import type { Message } from '#protocol/message.ts';

export interface ChannelNames {
  /** Learns the slug of the channel that the message was posted in; without an answer of the broker its id stays. */
  learn(message: Message): Promise<void>;
  /** The slug, as far as it was learned. */
  slugOf(message: Message): string | undefined;
}

const keptMs = 60_000;

function channelOf({ data: { thread } }: Message): string | undefined {
  return typeof thread === 'string' && thread.startsWith('chan:') ? thread.slice('chan:'.length) : undefined;
}

export function createChannelNames(client: Pick<BrokerClient, 'call'>, clock = Date.now): ChannelNames {
  let slugById = new Map<string, string>();
  let readAt = Number.NEGATIVE_INFINITY;
  return {
    async learn(message) {
      const id = channelOf(message);
      if (id === undefined || (slugById.has(id) && clock() - readAt < keptMs)) return;
      try {
        const { channels } = await client.call('channels', {});
        slugById = new Map(channels.map((channel) => [channel.id, channel.slug]));
        readAt = clock();
      } catch {
        // The message matters more than the name of its place.
      }
    },
    slugOf(message) {
      return slugById.get(channelOf(message) ?? '');
    },
  };
}
