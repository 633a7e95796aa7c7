/**
 * Both hubs of live streams, the long replies, and the news that the team's hub sends
 * (specification/streams.md#news). Watching activity does not count as presence, so it has a hub of its own.
 */
import { limits } from '#protocol/limits.ts';
import type { Presence } from '#protocol/presence.ts';
import type { ChangeFrame, ReceiptFrame, ReceiptsFrame } from '#protocol/stream.ts';
import type { Resource } from './features/changes/announce-changes.ts';
import type { Audience } from './http/live-stream.ts';
import { createLiveStreams, type LiveStreams } from './http/live-streams.ts';
import { createRepliesInTransit, type RepliesInTransit } from './http/replies-in-transit.ts';
import { sseFrame } from './http/sse.ts';
import type { Clock } from './runtime/clock.ts';
import type { Expiries } from './runtime/expiries.ts';
import { createFairQueue } from './runtime/fair-queue.ts';
import type { Log } from './runtime/log.ts';

export interface BrokerStreamsDeps {
  /** The newest position in the main store at start. */
  position: number;
  clock: Clock;
  expiries: Expiries;
  log: Log;
}

export interface BrokerStreams {
  team: LiveStreams;
  activity: LiveStreams;
  replies: RepliesInTransit;
  announceChange(resource: Resource, id: string, audience: Audience): void;
  announceReceipt(audience: Audience, notice: ReceiptFrame): void;
  announceReceipts(audience: Audience, notice: ReceiptsFrame): void;
  announcePresence(presence: Presence): void;
  /** Ends what this token, session, or JWT opened: live streams with `bye`, and long replies. */
  endOf(credentialId: string): void;
  /** Ends all streams with `bye`; their clients may come back. */
  endAll(): void;
  /** Ends, with `bye`, the streams that use TLS. */
  endEncrypted(): void;
  close(): void;
}

export function createBrokerStreams({ position, clock, expiries, log }: BrokerStreamsDeps): BrokerStreams {
  const turns = createFairQueue(limits.stream.resuming);
  const team = createLiveStreams({
    position,
    turns,
    clock,
    onError: (err) => log.error({ err }, 'a stream could not be resumed'),
  });
  const activity = createLiveStreams({
    position: 0,
    turns,
    clock,
    onError: (err) => log.error({ err }, 'an activity stream could not be read on'),
  });

  const replies = createRepliesInTransit(expiries);

  function announce(event: string, data: object, audience: Audience): void {
    team.announce(sseFrame(event, JSON.stringify(data)), audience);
  }

  return {
    team,
    activity,
    replies,
    announceChange: (resource, id, audience) =>
      announce('change', { resource, id } satisfies ChangeFrame, audience),
    announceReceipt: (audience, notice) => announce('receipt', notice, audience),
    announceReceipts: (audience, notice) => announce('receipts', notice, audience),
    announcePresence: (presence) => announce('presence', presence, 'everyone'),
    endOf(credentialId) {
      team.end({ credentialId });
      activity.end({ credentialId });
      replies.endOf(credentialId);
    },
    endAll() {
      for (const hub of [team, activity]) hub.endWhere(() => true);
    },
    endEncrypted() {
      for (const hub of [team, activity]) hub.endWhere(({ isEncrypted }) => isEncrypted);
    },
    close() {
      team.close();
      activity.close();
    },
  };
}
