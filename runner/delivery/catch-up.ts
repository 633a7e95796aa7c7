/**
 * Delivers the messages that wait at the broker when a stream begins, and finds the position from which the
 * stream itself delivers everything in order
 * (specification/receipts.md#waiting-messages).
 */
import type { Message } from '#protocol/message.ts';
import type { RunState } from '../session/run-state.ts';
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
  state: Pick<RunState, 'lastId' | 'countedBefore' | 'countBefore' | 'wasHandedOver'>;
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

export function createCatchUp({ delivery, state, waiting, now }: CatchUpDeps): CatchUp {
  let seenId = state.lastId;
  let isOlderTold = false;
  /** Older ones than those of an earlier start are never brought after newer ones (ADR 0060). */
  const isOnlyCounted = ({ id }: Message): boolean =>
    state.countedBefore !== null && id < state.countedBefore && !state.wasHandedOver(id);
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
      const [first] = messages;
      if (more > 0 && first !== undefined) state.countBefore(first.id);
      const older = messages.filter(({ id }) => id <= here);
      const brought = older.filter((message) => !isOnlyCounted(message));
      const counted = more + older.length - brought.length;
      // Reported once: at a later connection, they are the same ones, or already wait here.
      if (counted > 0 && !isOlderTold && older.length > 0) {
        isOlderTold = true;
        delivery.addOlder(counted);
      }
      for (const message of brought) delivery.add(message, null);
    },
  };
}
