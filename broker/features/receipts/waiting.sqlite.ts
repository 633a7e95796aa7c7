/** What a runner has yet to bring to its member's model (D17, ADR 0007). The cost grows with what waits, not with what was handled. */
import type Database from 'better-sqlite3';
import type { Waiting } from '#protocol/receipt.ts';
import type { Reader } from '../../runtime/actor.ts';
import type { AsyncUnits } from '../../storage/units.ts';
import { channelAccess } from '../channels/channel-access.sqlite.ts';
import { messageColumns, type StoredMessage, toMessage } from '../messages/message-rows.sqlite.ts';
import { threadAccess } from '../objectives/thread-access.sqlite.ts';

/** Counting stops here. */
const lookedAtMost = 10_000;

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
  const channels = channelAccess(db);
  const threads = threadAccess(db);

  /** A direct message, an objective notice or a mention that the reader may read now; its own are none. */
  function isWaiting(row: StoredMessage, isMention: boolean, reader: Reader): boolean {
    if (row.sender === reader.name) return false;
    const [kind, id = ''] = row.scope.split(':');
    if (kind === 'dm') return row.recipient === reader.name;
    if (kind === 'chan') return isMention && channels.membership(id, reader.name) !== undefined;
    if (kind === 'general') return isMention;
    return Object.hasOwn(JSON.parse(row.data), 'event') || (isMention && threads.isMember(id, reader));
  }

  return {
    reads: {
      waitingFor: ({ reader, limit }: { reader: Reader; limit: number }): Waiting => {
        const mentions = new Set(mentioned.all(reader.name, lookedAtMost));
        const places = [...new Set([...addressed.all(reader.name, lookedAtMost), ...mentions])];
        const messages: Waiting['messages'] = [];
        let more = 0;
        for (const seq of places.sort((a, b) => b - a)) {
          const row = bySeq.get(seq);
          if (row === undefined || !isWaiting(row, mentions.has(seq), reader)) continue;
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
