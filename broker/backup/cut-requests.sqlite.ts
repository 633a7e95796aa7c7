/** Requests of a salvaged activity store that lost pieces (specification/backup.md#repair). */
import type Database from 'better-sqlite3';
import { lostPiece } from '../features/activity/split-exchange.ts';

/**
 * Fills the gaps that lost rows left in requests and their pieces. Otherwise, a new piece could get the id of a lost
 * one, which belonged to another member, and new requests would continue a conversation that is cut.
 */
export function closeGaps(db: Database.Database): void {
  for (const [column, text] of Object.entries(lostPiece))
    db.prepare(
      `INSERT OR IGNORE INTO piece (id, hash, text)
       SELECT ${column}, randomblob(32), ? FROM split_request WHERE ${column} IS NOT NULL`,
    ).run(text);
  db.prepare(
    `INSERT OR IGNORE INTO piece (id, hash, text)
     SELECT previous, randomblob(32), ? FROM piece AS later WHERE previous IS NOT NULL`,
  ).run(lostPiece.messages);
  db.prepare(
    `WITH RECURSIVE cut (id) AS (
       SELECT id FROM piece WHERE text = ? UNION SELECT piece.id FROM piece JOIN cut ON piece.previous = cut.id
     ) UPDATE piece SET hash = randomblob(32) WHERE id IN cut`,
  ).run(lostPiece.messages);
  for (const column of Object.keys(lostPiece))
    db.exec(
      `INSERT OR IGNORE INTO loose_piece SELECT ${column} FROM split_request
       WHERE ${column} IS NOT NULL AND id NOT IN (SELECT id FROM activity)`,
    );
  db.exec('DELETE FROM split_request WHERE id NOT IN (SELECT id FROM activity)');
  db.prepare(
    `UPDATE activity SET event = json_set(event, '$.entry.request.system', json(?), '$.entry.request.tools', json(?),
       '$.entry.request.messages', json_array(json(?)))
     WHERE iif(kind = 'llm_exchange' AND json_valid(event), json_type(event, '$.entry.request.messages') IS NULL, 0)
       AND id NOT IN (SELECT id FROM split_request)`,
  ).run(lostPiece.system, lostPiece.tools, lostPiece.messages);
}
