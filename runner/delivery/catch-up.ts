/**
 * Delivers the messages that wait at the broker when a stream begins, and finds the position from which the
 * stream itself delivers everything in order
 * (specification/receipts.md#waiting-messages).
 */
import type { Message } from '#protocol/message.ts';
import type { Delivery } from './delivery.ts';

export interface CatchUp {
  /** The stream has delivered this message. */
  saw(messageId: string): void;
  /** Nothing was resumed, so every waiting message must be delivered. */
  forget(): void;
  /** The stream continues after this cursor. @throws what `waiting` throws. */
  run(cursor: string): Promise<void>;
}

export interface CatchUpDeps {
  delivery: Delivery;
  /**
   * The newest message that the stream had passed at the end of the previous run; null if that is not known.
   */
  lastId: string | null;
  waiting(): Promise<{ messages: Message[]; more: number }>;
  now: () => number;
}

/**
 * Returns the id of a message that would be accepted at this time: UUIDv7
 * (specification/messages.md#message).
 */
function idAt(ms: number): string {
  const hex = ms.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-000000000000`;
}

export function createCatchUp({ delivery, lastId, waiting, now }: CatchUpDeps): CatchUp {
  let seenId = lastId;
  let isOlderTold = false;
  return {
    saw(messageId) {
      seenId = messageId;
    },
    forget() {
      seenId = null;
    },
    async run(cursor) {
      delivery.reportAgain();
      const { messages, more } = await waiting();
      let past = seenId;
      if (past === null) {
        // From here on, the stream also continues after a restart; older messages wait at the broker until
        // they are accepted.
        const ids: string[] = [idAt(now()), ...messages.map(({ id }) => id)];
        past = ids.sort().at(-1) ?? '';
        seenId = past;
        delivery.pass(cursor, past);
      }
      const here = past;
      const older = messages.filter(({ id }) => id <= here);
      // Reported once: at a later connection, they are the same ones, or already wait here.
      if (more > 0 && !isOlderTold && older.length > 0) {
        isOlderTold = true;
        delivery.addOlder(more);
      }
      for (const message of older) delivery.add(message, null);
    },
  };
}
