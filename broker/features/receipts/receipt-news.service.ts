/**
 * Receipts as live news, at most one bundle per message, state, and second beyond the first few, so that a
 * broadcast to thousands does not send its sender thousands of frames (specification/streams.md#news).
 */
import type { ScopeName } from '#protocol/scope.ts';
import type { ReceiptFrame, ReceiptsFrame } from '#protocol/stream.ts';
import { arrivals, type Carried, type Sent } from './delivered-news.rules.ts';

export interface ReceiptNewsBoard {
  /** Call it for every accepted message, in the order of acceptance. */
  accepted(sent: Sent): void;
  /** A channel is private: a sender who is not among those who know it hears nothing more of its messages. */
  hide(channel: ScopeName, knownTo: ReadonlySet<string>): void;
  /** Streams have carried these ranges for the first time. */
  delivered(carried: readonly Carried[]): void;
  /** One receipt is news for this audience. */
  tell(audience: readonly string[], notice: ReceiptFrame): void;
  stop(): void;
}

export interface ReceiptNewsDeps {
  announce(audience: readonly string[], notice: ReceiptFrame): void;
  announceMany(audience: readonly string[], notice: ReceiptsFrame): void;
  /** The holders of members.manage, who may read every receipt. */
  managers(): readonly string[];
}

/** Of one message and state in one second; more are counted. */
const maxNamed = 8;
/** Of an older message, only `GET /messages/:id/receipts` shows that it was delivered. */
const maxRecent = 2000;
const everyMs = 1000;

interface Held {
  audience: readonly string[];
  messageId: string;
  state: ReceiptFrame['state'];
  named: number;
  counted: number;
}

export function createReceiptNews({ announce, announceMany, managers }: ReceiptNewsDeps): ReceiptNewsBoard {
  let recent: Sent[] = [];
  let held = new Map<string, Held>();

  /** Managers learn of messages that were also for them. */
  function audienceOf({ sender, audience, recipient }: Sent): string[] {
    const isFor = (name: string): boolean =>
      recipient === name || audience === 'everyone' || audience.includes(name);
    return [...new Set([sender, ...managers().filter(isFor)])];
  }

  function flush(): void {
    const ended = held;
    held = new Map();
    for (const { audience, messageId, state, counted } of ended.values())
      if (counted > 0) announceMany(audience, { messageId, state, count: counted });
  }
  const timer = setInterval(flush, everyMs).unref();

  return {
    accepted(sent) {
      recent.push(sent);
      if (recent.length > 2 * maxRecent) recent = recent.slice(-maxRecent);
    },
    hide(channel, knownTo) {
      recent = recent.filter(({ thread, sender }) => thread !== channel || knownTo.has(sender));
    },
    delivered(carried) {
      for (const { sent, members } of arrivals(recent, carried))
        announceMany(audienceOf(sent), {
          messageId: sent.id,
          state: 'delivered',
          count: members.length,
          ...(members.length <= maxNamed && { members: [...members] }),
        });
    },
    tell(audience, notice) {
      const { messageId, state } = notice;
      const key = `${messageId} ${state}`;
      const one = held.get(key) ?? { audience, messageId, state, named: 0, counted: 0 };
      held.set(key, one);
      if (one.named === maxNamed) one.counted += 1;
      else {
        one.named += 1;
        announce(audience, notice);
      }
    },
    stop() {
      clearInterval(timer);
      flush();
    },
  };
}
