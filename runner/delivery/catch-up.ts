/** What waits at the broker when a stream begins, and from where on the stream itself brings everything, in order (D6, D17). */
import type { Message } from '#protocol/message.ts';
import type { Delivery } from './delivery.ts';

export interface CatchUp {
  /** The stream has brought this message. */
  saw(messageId: string): void;
  /** Nothing was continued: all that waits is to be brought. */
  forget(): void;
  /** The stream continues after this cursor. @throws what `waiting` throws. */
  run(cursor: string): Promise<void>;
}

export interface CatchUpDeps {
  delivery: Delivery;
  /** The newest message that the stream was past at the end of the run before; null when that is not known. */
  lastId: string | null;
  waiting(): Promise<{ messages: Message[]; more: number }>;
  now: () => number;
}

/** As a message accepted at this time would have: UUIDv7 (D5, D18). */
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
        // From here on the stream is continued after a restart, too; what is older waits at the broker until it is taken.
        const ids: string[] = [idAt(now()), ...messages.map(({ id }) => id)];
        past = ids.sort().at(-1) ?? '';
        seenId = past;
        delivery.pass(cursor, past);
      }
      const here = past;
      const older = messages.filter(({ id }) => id <= here);
      // Told once: at a later connection they are the same ones, or wait here already.
      if (more > 0 && !isOlderTold && older.length > 0) {
        isOlderTold = true;
        delivery.addOlder(more);
      }
      for (const message of older) delivery.add(message, null);
    },
  };
}
