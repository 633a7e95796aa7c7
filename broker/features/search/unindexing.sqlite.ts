/** Takes a message out of the index, for units that remove or change it in the same transaction. */
import type Database from 'better-sqlite3';
import { whenNeeded } from '#platform/when-needed.ts';
import { mentionsOf } from '#protocol/mentions.ts';
import { type IndexedMessage, indexDamage, indexedWords } from './index-marks.rules.ts';

export function unindexing(db: Database.Database) {
  const progress = db.prepare<[], { again: number; upTo: number; isDamaged: 0 | 1 }>(
    `SELECT up_to AS upTo, (SELECT up_to FROM index_progress WHERE what = 'message_again') AS again,
       EXISTS (SELECT 1 FROM index_progress WHERE what = '${indexDamage}') AS isDamaged
     FROM index_progress WHERE what = 'message'`,
  );
  const textOf = db.prepare<[number], { title: string | null; body: string }>(
    'SELECT title, body FROM message WHERE seq = ?',
  );
  // The index has no copy of the text, so it has to be told what it contained.
  const removeWords = whenNeeded(() =>
    db.prepare<[number, string]>(
      "INSERT INTO message_words (message_words, rowid, words) VALUES ('delete', ?, ?)",
    ),
  );
  const removeMentions = db.prepare<[number]>('DELETE FROM mention WHERE seq = ?');

  return ({ seq, scope, sender }: Pick<IndexedMessage, 'seq' | 'scope' | 'sender'>): void => {
    const { again, upTo, isDamaged } = progress.get() ?? { again: 0, upTo: 0, isDamaged: 0 };
    const text = seq <= upTo ? textOf.get(seq) : undefined;
    if (text === undefined) return;
    const { title, body } = text;
    if (seq > again && isDamaged === 0)
      removeWords().run(seq, indexedWords({ seq, title, body, scope, sender }));
    removeMentions.run(seq);
  };
}

interface MentionRow {
  member: string;
  scope: string;
  seq: number;
  taken: 0 | 1;
}

/** Lets the text of a message change. The index has the new text if it had the former one, and the mentions that both texts have. */
export function reindexing(db: Database.Database) {
  const unindex = unindexing(db);
  const hasWords = db
    .prepare<{ seq: number }, 0 | 1>(
      `SELECT :seq <= up_to AND :seq > (SELECT up_to FROM index_progress WHERE what = 'message_again')
         AND NOT EXISTS (SELECT 1 FROM index_progress WHERE what = '${indexDamage}')
       FROM index_progress WHERE what = 'message'`,
    )
    .pluck();
  const find = db.prepare<[number], IndexedMessage>(
    'SELECT seq, title, body, scope, sender FROM message WHERE seq = ?',
  );
  const addWords = whenNeeded(() =>
    db.prepare<[number, string]>('INSERT INTO message_words (rowid, words) VALUES (?, ?)'),
  );
  const mentionRows = db.prepare<[number], MentionRow>(
    'SELECT member, scope, seq, taken FROM mention WHERE seq = ?',
  );
  const addMention = db.prepare<MentionRow>(
    `INSERT INTO mention (member, scope, seq, taken) VALUES (:member, :scope, :seq, :taken)
     ON CONFLICT DO NOTHING`,
  );

  return (message: Pick<IndexedMessage, 'seq' | 'scope' | 'sender'>, change: () => void): void => {
    const mentions = mentionRows.all(message.seq);
    unindex(message);
    change();
    const changed = find.get(message.seq);
    if (changed === undefined) return;
    const named = mentionsOf(changed);
    for (const row of mentions) if (named.has(row.member.toLowerCase())) addMention.run(row);
    if (hasWords.get({ seq: message.seq }) === 1) addWords().run(changed.seq, indexedWords(changed));
  };
}
