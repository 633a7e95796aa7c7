/**
 * The evidence that a post with `inReplyTo` gives of the message that it answers, inside the post's own transaction
 * (specification/messages.md#replies).
 */
import type Database from 'better-sqlite3';
import { refuse } from '#protocol/errors.ts';
import type { Reader } from '../../runtime/actor.ts';
import { type StoredAddress, scopeAccess } from '../scopes/scope-access.sqlite.ts';
import { evidenceRows } from './evidence-rows.sqlite.ts';
import { type ReceiptNews, receiptNews } from './receipts.sqlite.ts';

export function replies(db: Database.Database) {
  const byId = db.prepare<[string], StoredAddress & { id: string }>(
    'SELECT seq, id, ts, sender, recipient, scope FROM message WHERE id = ?',
  );
  const evidence = evidenceRows(db);
  const scopes = scopeAccess(db);

  /** @throws BrokerError not_found for a message that the poster cannot read, whether it exists or not. */
  function found(id: string, poster: Reader): StoredAddress & { id: string } {
    const message = byId.get(id);
    return message !== undefined && scopes.mayRead(message.scope, poster)
      ? message
      : refuse('unknown_message');
  }

  return {
    /** Refuses what `answer` would refuse, and records nothing. @throws BrokerError not_found. */
    admit(id: string | null, poster: Reader): void {
      if (id !== null) found(id, poster);
    },
    /**
     * Records that the poster answered, if the message was for it. Returns what to announce; null for
     * nothing. @throws BrokerError not_found for a message that the poster cannot read, whether it exists or
     * not.
     */
    answer(id: string | null, poster: Reader, at: number, managers: readonly string[]): ReceiptNews | null {
      if (id === null) return null;
      const message = found(id, poster);
      const isFirst =
        scopes.wasFor(message, poster.name) && evidence.keep(message, poster.name, 'answered', at);
      return isFirst ? receiptNews(scopes, message, managers) : null;
    },
  };
}
