/**
 * Offers the final text of a turn as the reply to whoever asked, if the agent posted nothing itself
 * after it read the question (specification/runner.md#the-final-text-of-a-turn).
 */
import type { Message } from '#protocol/message.ts';
import { repliesTo, replyText, type TurnReply } from './turn-reply.rules.ts';

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
  /** What the turn under way said last. */
  finalText(text: string): void;
  /** The turn ended. Its final text, if any, goes to whoever asked. */
  turnEnded(): void;
}

export interface TurnRepliesDeps {
  self: string;
  /** Resolves with what became of the post. */
  post(reply: TurnReply, body: string): Promise<{ text: string }>;
  log: (event: string, data?: object) => void;
}

/** Of messages that were brought and not answered. */
const maxHeld = 200;

export function createTurnReplies({ self, post, log }: TurnRepliesDeps): TurnReplies {
  /** Whether each message belongs to the turn under way. */
  const held = new Map<string, { message: Message; isInTurn: boolean }>();

  let body: string | null = null;

  function dropTurn(): void {
    for (const [id, { isInTurn }] of held) if (isInTurn) held.delete(id);
  }

  async function send(replies: readonly TurnReply[], body: string): Promise<void> {
    for (const reply of replies) {
      try {
        const { text } = await post(reply, body);
        log('the final text of the turn is the reply', { to: reply.inReplyTo, text });
      } catch (error) {
        log('the final text of the turn was not posted', { reason: String(error) });
      }
    }
  }

  return {
    brought(messages, isInTurn) {
      for (const message of messages) held.set(message.id, { message, isInTurn });
      for (const id of held.keys()) if (held.size > maxHeld) held.delete(id);
    },
    refused(messages) {
      for (const { id } of messages) held.delete(id);
    },
    reached(messageIds) {
      for (const id of messageIds) {
        const one = held.get(id);
        if (one !== undefined) one.isInTurn = true;
      }
    },
    get isComing() {
      return [...held.values()].some(({ isInTurn }) => !isInTurn);
    },
    posted: dropTurn,
    finalText(text) {
      body = replyText(text);
    },
    turnEnded() {
      const asked = [...held.values()].filter(({ isInTurn }) => isInTurn).map(({ message }) => message);
      if (body !== null) void send(repliesTo(asked, self), body);
      body = null;
      dropTurn();
    },
  };
}
