/**
 * Offers the final text of a turn as the reply to whoever asked, if the agent posted nothing itself
 * after it read the question (specification/runner.md#the-final-text-of-a-turn).
 */
import type { Message } from '#protocol/message.ts';
import { newestPerPlace, replyText, replyTo, type TurnReply } from './turn-reply.rules.ts';

export interface TurnReplies {
  /**
   * Messages are brought to the agent: they belong to the turn under way, or, if they may come too late for it,
   * only once they reached the model.
   */
  brought(messages: readonly Message[], isInTurn: boolean): void;
  /** The agent did not accept these messages. */
  refused(messages: readonly Message[]): void;
  /** The turn under way took these messages in. */
  reached(messageIds: readonly string[]): void;
  /** Whether the agent has a message that the turn under way has not taken yet. */
  readonly isComing: boolean;
  /** The agent posted something: that is its answer to what it had read. */
  posted(): void;
  /** The last text of the turn under way. */
  finalText(text: string): void;
  /** The turn ended. Its final text, if any, goes to whoever asked. */
  turnEnded(): void;
  /** The turn failed and is continued: the final text of the turn that continues it goes to whoever asked. */
  turnFailed(): void;
  /** The agent continues a turn that the end of an earlier run cut off, in which these were asked. */
  continueWith(asked: readonly TurnReply[]): void;
}

export interface TurnRepliesDeps {
  self: string;
  /** Resolves with what became of the post. */
  post(reply: TurnReply, body: string): Promise<{ text: string }>;
  /** Reports who waits for the final text of the turn under way, whenever that may have changed. */
  onAsked(asked: readonly TurnReply[]): void;
  log: (event: string, data?: object) => void;
}

/** Of messages that were brought and not answered. */
const maxHeld = 200;

export function createTurnReplies({ self, post, onAsked, log }: TurnRepliesDeps): TurnReplies {
  /** By message: the reply that somebody waits for, and whether it belongs to the turn under way. */
  const held = new Map<string, { reply: TurnReply | null; isInTurn: boolean }>();

  let body: string | null = null;

  const asked = (): TurnReply[] =>
    newestPerPlace([...held.values()].flatMap(({ reply, isInTurn }) => (isInTurn && reply ? [reply] : [])));

  function dropTurn(): void {
    for (const [id, { isInTurn }] of held) if (isInTurn) held.delete(id);
    onAsked([]);
  }

  async function send(reply: TurnReply, body: string): Promise<void> {
    try {
      const { text } = await post(reply, body);
      log('the final text of the turn is the reply', { to: reply.inReplyTo, text });
    } catch (error) {
      log('the final text of the turn was not posted', { reason: String(error) });
    }
  }

  return {
    brought(messages, isInTurn) {
      for (const message of messages) held.set(message.id, { reply: replyTo(message, self), isInTurn });
      for (const id of held.keys()) if (held.size > maxHeld) held.delete(id);
      onAsked(asked());
    },
    refused(messages) {
      for (const { id } of messages) held.delete(id);
      onAsked(asked());
    },
    reached(messageIds) {
      for (const id of messageIds) {
        const one = held.get(id);
        if (one !== undefined) one.isInTurn = true;
      }
      onAsked(asked());
    },
    get isComing() {
      return [...held.values()].some(({ isInTurn }) => !isInTurn);
    },
    posted: dropTurn,
    finalText(text) {
      body = replyText(text);
    },
    turnEnded() {
      if (body !== null) for (const reply of asked()) void send(reply, body);
      body = null;
      dropTurn();
    },
    turnFailed() {
      body = null;
    },
    continueWith(replies) {
      for (const reply of replies) held.set(reply.inReplyTo, { reply, isInTurn: true });
    },
  };
}
