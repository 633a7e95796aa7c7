/**
 * First answers by Idempotency-Key: an answer is written in the transaction of the change that it answers
 * (specification/api.md#idempotency).
 */
import type Database from 'better-sqlite3';
import { refuse } from '#protocol/errors.ts';
import type { AsyncUnits } from '../../storage/units.ts';

/**
 * Keys are scoped to member and operation. `bodyHash` tells a repeat from another request with the same key.
 */
export interface AnswerKey {
  member: string;
  operation: string;
  key: string;
  bodyHash: string;
  /** The time of the request, epoch ms. */
  at: number;
  keptMs: number;
}

type Identified = Pick<AnswerKey, 'member' | 'operation' | 'key'>;

/** For adapters, inside their own transaction. */
export function keyedAnswers(db: Database.Database) {
  const select = db.prepare<[string, string, string, number], { body_hash: string; reply: string }>(
    'SELECT body_hash, reply FROM idempotency WHERE member = ? AND operation = ? AND key = ? AND created_at > ?',
  );
  const replace = db.prepare<[string, string, string, string, string, number]>(
    'INSERT OR REPLACE INTO idempotency (member, operation, key, body_hash, reply, created_at) VALUES (?, ?, ?, ?, ?, ?)',
  );
  return {
    /**
     * Returns the JSON of the first answer; null if there was none within `keptMs`. Refuses another body with
     * the same key: 409.
     */
    replyTo({ member, operation, key, bodyHash, at, keptMs }: AnswerKey): string | null {
      const first = select.get(member, operation, key, at - keptMs);
      if (first === undefined) return null;
      if (first.body_hash !== bodyHash) refuse('idempotency_key_reused');
      return first.reply;
    },
    keep({ member, operation, key, bodyHash, at }: AnswerKey, reply: string): void {
      replace.run(member, operation, key, bodyHash, reply, at);
    },
  };
}

export function idempotencyUnits(db: Database.Database) {
  const update = db.prepare<[string, string, string, string]>(
    'UPDATE idempotency SET reply = ? WHERE member = ? AND operation = ? AND key = ?',
  );
  const forget = db.prepare<[number]>('DELETE FROM idempotency WHERE created_at <= ?');
  return {
    reads: {},
    writes: {
      /** Completes a kept answer with what was known only after the commit. */
      completeAnswer: ({
        key: { member, operation, key },
        reply,
      }: {
        key: Identified;
        reply: string;
      }): void => {
        update.run(reply, member, operation, key);
      },
      forgetAnswers: (input: { upTo: number }): void => {
        forget.run(input.upTo);
      },
    },
  };
}
export type IdempotencyUnits = AsyncUnits<typeof idempotencyUnits>;
