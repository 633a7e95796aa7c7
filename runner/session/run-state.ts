/**
 * The state that a run keeps between starts: the position of its stream, and which messages were handed over
 * without proof that they arrived. Losing it costs repeats, never messages, because the broker knows what
 * waits.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { replacePrivateFile } from '#platform/private-file.ts';
import { createSerialQueue } from '#platform/serial-queue.ts';

const State = z.object({
  schema: z.literal(1),
  cursor: z.string().nullable(),
  lastId: z.string().nullable().default(null),
  handedOver: z.array(z.string()),
  countedBefore: z.string().nullable().default(null),
});

export interface RunState {
  /** The last position of the stream before which everything arrived; null for none. */
  readonly cursor: string | null;
  /**
   * The message at that position: ids increase in the order of acceptance. Null if it is not known
   * (specification/messages.md#message).
   */
  readonly lastId: string | null;
  wasHandedOver(messageId: string): boolean;
  /** Resolves when it is on disk: call it before a message leaves for the agent. */
  handOver(messageIds: readonly string[]): Promise<void>;
  /** Proof arrived, so the message need not be marked as a repeat. */
  forget(messageIds: readonly string[]): void;
  moveTo(cursor: string, messageId: string): void;
  /** Messages before this one are only counted, unless they were handed over; null if there are none. */
  readonly countedBefore: string | null;
  countBefore(messageId: string): void;
  /** Writes what changed. */
  flush(): Promise<void>;
}

/** Older ones are dropped; at worst, a repeat is not marked as one. */
const maxHandedOver = 1000;

/**
 * `folder` is the person's own; there is one file per broker and member. An unreadable file counts as none.
 */
export async function openRunState(folder: string, url: string, member: string): Promise<RunState> {
  const name = createHash('sha256').update(`${url}\n${member}`).digest('hex').slice(0, 24);
  const path = join(folder, `${name}.json`);
  const read = State.safeParse(
    await readFile(path, 'utf8')
      .then(JSON.parse)
      .catch(() => null),
  );
  let cursor = read.success ? read.data.cursor : null;
  let lastId = read.success ? read.data.lastId : null;
  const handedOver = new Set(read.success ? read.data.handedOver : []);
  let countedBefore = read.success ? read.data.countedBefore : null;
  let isChanged = false;
  const inTurn = createSerialQueue();

  async function write(): Promise<void> {
    if (!isChanged) return;
    isChanged = false;
    const kept = [...handedOver].slice(-maxHandedOver);
    const written = { schema: 1, cursor, lastId, handedOver: kept, countedBefore };
    await replacePrivateFile(path, JSON.stringify(written)).catch((error: unknown) => {
      isChanged = true;
      throw error;
    });
  }

  const flush = (): Promise<void> => inTurn(write);

  return {
    get cursor() {
      return cursor;
    },
    get lastId() {
      return lastId;
    },
    get countedBefore() {
      return countedBefore;
    },
    countBefore(messageId) {
      if (countedBefore !== null && messageId <= countedBefore) return;
      countedBefore = messageId;
      isChanged = true;
    },
    wasHandedOver: (id) => handedOver.has(id),
    handOver(ids) {
      for (const id of ids) handedOver.add(id);
      isChanged = true;
      return flush();
    },
    forget(ids) {
      for (const id of ids) if (handedOver.delete(id)) isChanged = true;
    },
    moveTo(next, messageId) {
      if (next === cursor) return;
      cursor = next;
      lastId = messageId;
      isChanged = true;
    },
    flush,
  };
}
