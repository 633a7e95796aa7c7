/**
 * The members of each channel, as the store last reported them: each acceptance returns them if the version held
 * here is stale.
 */
import type { ChannelMembers } from './messages.sqlite.ts';

export interface ChannelAudiences {
  /** Returns what is held of a channel, to be confirmed by the store; null for nothing. */
  known(channelId: string): ChannelMembers | null;
  keep(channelId: string, fresh: ChannelMembers): void;
}

const maxChannelsHeld = 256;

export function createChannelAudiences(): ChannelAudiences {
  const membersByChannel = new Map<string, ChannelMembers>();
  return {
    known: (channelId) => membersByChannel.get(channelId) ?? null,
    keep(channelId, fresh) {
      const held = membersByChannel.get(channelId);
      if (held !== undefined && held.version > fresh.version) return;
      membersByChannel.delete(channelId);
      membersByChannel.set(channelId, fresh);
      const oldest = membersByChannel.keys().next();
      if (membersByChannel.size > maxChannelsHeld && !oldest.done) membersByChannel.delete(oldest.value);
    },
  };
}
