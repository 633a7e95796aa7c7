/**
 * The messages that a runner has yet to bring to its member's model (ADR 0007). The cost grows with what waits, not with
 * what was handled (specification/receipts.md#waiting-messages).
 */
import type Database from 'better-sqlite3';
import type { Waiting } from '#protocol/receipt.ts';
import type { Reader } from '../../runtime/actor.ts';
import type { AsyncUnits } from '../../storage/units.ts';
import { messageColumns, type StoredMessage, toMessage } from '../messages/message-rows.sqlite.ts';
import { isNotice } from '../scopes/scope-access.rules.ts';
import { scopeAccess } from '../scopes/scope-access.sqlite.ts';

/** Counting stops here. */
const maxExamined = 10_000;

export function waitingUnits(db: Database.Database) {
  const addressed = db
    .prepare<[string, number], number>(
      'SELECT seq FROM addressed WHERE member = ? AND taken = 0 ORDER BY seq DESC LIMIT ?',
    )
    .pluck();
  const mentioned = db
    .prepare<[string, number], number>(
      'SELECT seq FROM mention WHERE member = ? AND taken = 0 ORDER BY seq DESC LIMIT ?',
    )
    .pluck();
  const bySeq = db.prepare<[number], StoredMessage>(`SELECT ${messageColumns} FROM message WHERE seq = ?`);
  const scopes = scopeAccess(db);

  return {
    reads: {
      waitingFor: ({ reader, limit }: { reader: Reader; limit: number }): Waiting => {
        const { name } = reader;
        const isReadable = scopes.readableBy(reader);
        const mentions = new Set(mentioned.all(name, maxExamined));
        const addresses = new Set(addressed.all(name, maxExamined));
        /**
         * A direct message, a notice addressed to the reader, or a mention that was for the reader, who may read it now. A
         * mention from before the reader joined has no receipt that could end its wait.
         */
        const isWaiting = (row: StoredMessage): boolean => {
          const { seq, sender, recipient, scope, data } = row;
          if (sender === name) return false;
          if (recipient !== null) return recipient === name;
          if (addresses.has(seq) && isNotice(JSON.parse(data))) return true;
          return mentions.has(seq) && isReadable(scope) && scopes.wasFor(row, name);
        };
        const messages: Waiting['messages'] = [];
        let more = 0;
        for (const seq of [...addresses.union(mentions)].sort((a, b) => b - a)) {
          const row = bySeq.get(seq);
          if (row === undefined || !isWaiting(row)) continue;
          if (messages.length < limit) messages.push(toMessage(row));
          else more += 1;
        }
        return { messages: messages.reverse(), more };
      },
    },
    writes: {},
  };
}
export type WaitingUnits = AsyncUnits<typeof waitingUnits>;
