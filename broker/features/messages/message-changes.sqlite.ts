/**
 * Changes of the text of a message by its sender after it was accepted, for units inside their own transaction
 * (specification/messages.md#changes).
 */
import type Database from 'better-sqlite3';
import { refuse } from '#protocol/errors.ts';
import type { Message } from '#protocol/message.ts';
import { deletedBody } from '#protocol/vocabulary.ts';
import type { Reader } from '../../runtime/actor.ts';
import { scopeAccess } from '../scopes/scope-access.sqlite.ts';
import { parseScopeKey } from '../scopes/scope-key.ts';
import { reindexing } from '../search/unindexing.sqlite.ts';
import { messageColumns, type StoredMessage, toMessage } from './message-row.rules.ts';

export interface MessageChangeRequest {
  id: string;
  /** The new text; null to delete it. */
  body: string | null;
  /** A message from before this time, in epoch ms, stays as it is. */
  since: number;
  /** Members under a legal hold: what concerns one of them stays as it is. */
  held: readonly string[];
}

export function messageChanges(db: Database.Database) {
  const find = db.prepare<[string], StoredMessage>(`SELECT ${messageColumns} FROM message WHERE id = ?`);
  const edit = db.prepare<[string, number, number]>(
    "UPDATE message SET body = ?, changed = 'edited', changed_at = ? WHERE seq = ?",
  );
  const remove = db.prepare<[string, string, number, number]>(
    `UPDATE message SET title = NULL, body = ?, data = ?, attachments = '[]', changed = 'deleted', changed_at = ?
     WHERE seq = ?`,
  );
  const noticeOf = db.prepare<[number], StoredMessage>(
    `SELECT ${messageColumns} FROM message WHERE seq = (SELECT edit_notice FROM message WHERE seq = ?)`,
  );
  const keepNotice = db.prepare<[number, string]>('UPDATE message SET edit_notice = ? WHERE id = ?');
  const sizeOf = db
    .prepare<[number], number>(
      `SELECT octet_length(body) + octet_length(data) + octet_length(attachments) + coalesce(octet_length(title), 0)
       FROM message WHERE seq = ?`,
    )
    .pluck();
  const recount = db.prepare<[number, number]>(
    'UPDATE message_size SET bytes = bytes + ? WHERE only = 1 AND up_to >= ?',
  );
  const scopes = scopeAccess(db);
  const reindex = reindexing(db);

  /** Returns the message. @throws BrokerError not_found if the reader may not read it, forbidden, conflict. */
  function own({ id, since, held }: Omit<MessageChangeRequest, 'body'>, reader: Reader): StoredMessage {
    const row = find.get(id);
    if (row === undefined || !scopes.mayRead(row.scope, reader)) return refuse('unknown_message');
    if (row.sender !== reader.name) refuse('message_not_yours');
    if (row.changed === 'deleted') refuse('message_is_deleted');
    const { event } = JSON.parse(row.data) as Record<string, unknown>;
    if (event !== undefined) refuse('message_is_record', { why: 'the broker wrote it' });
    if (parseScopeKey(row.scope).kind === 'objective')
      refuse('message_is_record', { why: 'it is in the thread of an objective' });
    if ((row.accepted_at ?? row.ts) < since) refuse('too_late_to_change');
    if (held.some((name) => scopes.concerned(row, name)))
      refuse('message_is_record', { why: 'a legal hold keeps it' });
    return row;
  }

  function rewrite(row: StoredMessage, write: () => void): void {
    const before = sizeOf.get(row.seq) ?? 0;
    reindex(row, write);
    recount.run((sizeOf.get(row.seq) ?? 0) - before, row.seq);
  }

  /** Of its data, the thread and the event stay. */
  function blank(row: StoredMessage, at: number): void {
    const { thread, event } = JSON.parse(row.data) as { thread?: unknown; event?: unknown };
    rewrite(row, () => remove.run(deletedBody, JSON.stringify({ thread, event }), at, row.seq));
  }

  return {
    own,
    /**
     * Also deletes the text of the notice of the edit before, which has the former text. `at`: epoch ms. Returns the message as it is now.
     * @throws BrokerError as `own` does.
     */
    apply(change: MessageChangeRequest, reader: Reader, at: number): Message {
      const row = own(change, reader);
      const former = noticeOf.get(row.seq);
      if (former !== undefined) blank(former, at);
      const { body } = change;
      if (body === null) blank(row, at);
      else rewrite(row, () => edit.run(body, at, row.seq));
      return toMessage(find.get(change.id) ?? row);
    },
    /** The notice of the latest edit of a message has the position `seq`. */
    noticed: ({ id }: Pick<MessageChangeRequest, 'id'>, seq: number): void => void keepNotice.run(seq, id),
  };
}
