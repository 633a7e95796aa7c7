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
import { type StoredAddress, scopeAccess } from '../scopes/scope-access.sqlite.ts';

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
  // Without the text, which may be long: only the messages that are returned need it.
  const addressAt = db.prepare<[number], StoredAddress>(
    'SELECT seq, ts, sender, recipient, scope FROM message WHERE seq = ?',
  );
  const dataAt = db.prepare<[number], string>('SELECT data FROM message WHERE seq = ?').pluck();
  const messageAt = db.prepare<[number], StoredMessage>(
    `SELECT ${messageColumns} FROM message WHERE seq = ?`,
  );
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
        const isWaiting = (address: StoredAddress): boolean => {
          const { seq, sender, recipient, scope } = address;
          if (sender === name) return false;
          if (recipient !== null) return recipient === name;
          if (addresses.has(seq) && isNotice(JSON.parse(dataAt.get(seq) ?? '{}'))) return true;
          return mentions.has(seq) && isReadable(scope) && scopes.wasFor(address, name);
        };
        const messages: Waiting['messages'] = [];
        let more = 0;
        for (const seq of [...addresses.union(mentions)].sort((a, b) => b - a)) {
          const address = addressAt.get(seq);
          if (address === undefined || !isWaiting(address)) continue;
          const message = messages.length < limit ? messageAt.get(seq) : undefined;
          if (message === undefined) more += 1;
          else messages.push(toMessage(message));
        }
        return { messages: messages.reverse(), more };
      },
    },
    writes: {},
  };
}
export type WaitingUnits = AsyncUnits<typeof waitingUnits>;
