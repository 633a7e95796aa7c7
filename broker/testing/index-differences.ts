import Database from 'better-sqlite3';
import { type IndexedMessage, indexedWords } from '../features/search/index-marks.rules.ts';

/** Returns the places of words that the index of messages lacks or has too many, compared with a new index of all messages. */
export function indexDifferences(db: Database.Database): unknown[] {
  db.exec(`
    CREATE VIRTUAL TABLE temp.expected_words USING fts5 (words, content = '', tokenize = 'unicode61 remove_diacritics 2');
    CREATE VIRTUAL TABLE temp.expected USING fts5vocab (temp, expected_words, instance);
    CREATE VIRTUAL TABLE temp.actual USING fts5vocab (main, message_words, instance);
  `);
  const add = db.prepare<[number, string]>('INSERT INTO temp.expected_words (rowid, words) VALUES (?, ?)');
  const messages = db.prepare<[], IndexedMessage>('SELECT seq, title, body, scope, sender FROM message');
  for (const message of messages.all()) add.run(message.seq, indexedWords(message));
  const all = (table: string): string => `SELECT term, doc, "offset" FROM temp.${table}`;
  const without = (one: string, other: string): string => `SELECT * FROM (${all(one)} EXCEPT ${all(other)})`;
  const differences = db
    .prepare(`${without('expected', 'actual')} UNION ALL ${without('actual', 'expected')}`)
    .all();
  db.exec('DROP TABLE temp.actual; DROP TABLE temp.expected; DROP TABLE temp.expected_words');
  return differences;
}

export function indexDifferencesIn(file: string): unknown[] {
  const db = new Database(file);
  try {
    return indexDifferences(db);
  } finally {
    db.close();
  }
}
