/** The common part of all posts, wherever they go: one answer per key, posts that are held, and the way to the live streams. */
import type { MemberName } from '#protocol/ids.ts';
import type { Message } from '#protocol/message.ts';
import { acceptedAt } from '#protocol/message-time.ts';
import type { Audience } from '../../http/live-stream.ts';
import type { LiveStreams } from '../../http/live-streams.ts';
import type { AnswerKey, Idempotency, KeyedRequest } from '../idempotency/idempotency.service.ts';
import type { ReceiptNews } from '../receipts/receipts.service.ts';
import type { MessageFrames } from './message-frames.ts';

/** A message that the store has accepted. */
export interface PostedMessage {
  /** Its position in the order of acceptance. */
  seq: number;
  message: Message;
  audience: Audience;
  /** The members of the audience whom it concerns by name (specification/web-push.md#sending). */
  concerned?: readonly string[];
  /** The message that it answers; null for none. */
  answered?: ReceiptNews | null;
}

/** `replay` and `reply`: the JSON of the answer. `held`: the id of the post that is held. */
export type Outcome = { replay: string } | { held: string; reply: string } | { reply: string };

export interface Posting {
  /**
   * Call it in the turn in which the store answered, because positions are published in their order. Returns the JSON of the
   * message.
   */
  publish(posted: PostedMessage): string;
  /** Posts once for each key of the member. Returns the JSON of the answer. @throws BrokerError bad_request for a malformed key. */
  once(request: KeyedRequest, post: (key: AnswerKey | null) => Promise<Outcome>): Promise<string>;
}

export interface PostingDeps {
  idempotency: Pick<Idempotency, 'once'>;
  streams: Pick<LiveStreams, 'publish'>;
  frames: Pick<MessageFrames, 'entry'>;
  /** Called with every message once it is on disk and on its way to the streams; must return at once. */
  onAccepted: (message: Message, readers: Audience, concerned?: readonly string[]) => void;
  /** A post answered another message; called once it is on disk. */
  onAnswered: (answered: ReceiptNews, by: MemberName, at: number) => void;
  /** A post is held; called once it is on disk. */
  onHeld: (id: string, writer: string) => void;
}

export function createPosting(deps: PostingDeps): Posting {
  const { idempotency, streams, frames, onAccepted, onAnswered, onHeld } = deps;
  return {
    publish({ seq, message, audience, concerned, answered = null }) {
      const json = JSON.stringify(message);
      streams.publish(frames.entry(json, seq), audience);
      onAccepted(message, audience, concerned);
      if (answered !== null) onAnswered(answered, message.from as MemberName, acceptedAt(message));
      return json;
    },
    once: (request, post) =>
      idempotency.once(request, async (key) => {
        const outcome = await post(key);
        if ('replay' in outcome) return outcome.replay;
        if ('held' in outcome) onHeld(outcome.held, request.member);
        return outcome.reply;
      }),
  };
}
