/**
 * Deletes pieces of requests that no remaining row refers to (ADR 0025). A table has the pieces that lost a reference, so that a deletion
 * that was interrupted is completed by the next one.
 */
import type Database from 'better-sqlite3';

/** Returns a function that handles up to `amount` pieces and returns how many there were: fewer if none is left. */
export function loosePieces(db: Database.Database): (amount: number) => number {
  const newestLoose = db.prepare<[], { id: number }>('SELECT id FROM loose_piece ORDER BY id DESC LIMIT 1');
  const settle = db.prepare<[number]>('DELETE FROM loose_piece WHERE id = ?');
  const loosen = db.prepare<[number]>('INSERT OR IGNORE INTO loose_piece VALUES (?)');
  const removeUnused = db.prepare<{ id: number }, { previous: number | null }>(
    `DELETE FROM piece WHERE id = :id
       AND NOT EXISTS (SELECT 1 FROM piece WHERE previous = :id)
       AND NOT EXISTS (SELECT 1 FROM split_request WHERE messages = :id)
       AND NOT EXISTS (SELECT 1 FROM split_request WHERE system = :id)
       AND NOT EXISTS (SELECT 1 FROM split_request WHERE tools = :id)
     RETURNING previous`,
  );
  return (amount) => {
    for (let done = 0; done < amount; done++) {
      const loose = newestLoose.get();
      if (loose === undefined) return done;
      settle.run(loose.id);
      const removed = removeUnused.get(loose);
      if (removed !== undefined && removed.previous !== null) loosen.run(removed.previous);
    }
    return amount;
  };
}
