/** The pieces of requests in the activity store (ADR 0025). `muster prune-activity` deletes the unused ones. */
import type Database from 'better-sqlite3';
import {
  joinedExchange,
  lostPiece,
  type Piece,
  type RequestPieces,
  type SplitExchange,
} from './split-exchange.ts';

/** The columns of a row that was stored in pieces; null in all others, such as rows of earlier versions. */
export interface SplitColumns {
  place: number | null;
  system: number | null;
  tools: number | null;
  messages: number | null;
}

/** Called by the unit that stores the row, inside its transaction. */
export function addPieces(db: Database.Database): (row: number, split: SplitExchange) => void {
  const known = db.prepare<[Buffer], { id: number }>('SELECT id FROM piece WHERE hash = ?');
  const insert = db.prepare<Piece & { previous: number | null }>(
    'INSERT INTO piece (hash, previous, text) VALUES (:hash, :previous, :text)',
  );
  const refer = db.prepare<{ row: number; place: number } & Record<keyof RequestPieces, number | null>>(
    'INSERT INTO split_request (id, place, system, tools, messages) VALUES (:row, :place, :system, :tools, :messages)',
  );

  /** Looks from the end, because most of a conversation is known. Returns the last piece. */
  function lastOf(pieces: readonly Piece[]): number | null {
    let last: number | null = null;
    let knownCount = pieces.length;
    for (const piece of pieces.toReversed()) {
      last = known.get(piece.hash)?.id ?? null;
      if (last !== null) break;
      knownCount -= 1;
    }
    for (const piece of pieces.slice(knownCount))
      last = Number(insert.run({ ...piece, previous: last }).lastInsertRowid);
    return last;
  }

  return (row, { place, pieces: { system, tools, messages } }) => {
    refer.run({
      row,
      place,
      system: lastOf(system),
      tools: lastOf(tools),
      messages: lastOf(messages),
    });
  };
}

/** Returns a row's whole event, as JSON in UTF-8. It says so in place of pieces that are missing. */
export function wholeEvents(db: Database.Database): (row: SplitColumns & { event: Buffer }) => Buffer {
  const byId = db.prepare<[number], { previous: number | null; text: Buffer }>(
    'SELECT previous, CAST(text AS BLOB) AS text FROM piece WHERE id = ?',
  );

  function textsUpTo(last: number | null, kind: keyof RequestPieces): Buffer[] {
    const texts: Buffer[] = [];
    for (let id = last; id !== null; ) {
      const piece = byId.get(id) ?? { previous: null, text: Buffer.from(lostPiece[kind]) };
      texts.push(piece.text);
      id = piece.previous;
    }
    return texts.reverse();
  }

  return ({ event, place, system, tools, messages }) =>
    place === null
      ? event
      : joinedExchange(event, place, {
          system: textsUpTo(system, 'system')[0] ?? null,
          tools: textsUpTo(tools, 'tools')[0] ?? null,
          messages: textsUpTo(messages, 'messages'),
        });
}
