/** The words of texts and searches with the index's tokenizer. */
import { describe, expect, it } from 'vitest';
import { openMainDatabase } from '../../testing/main-database.ts';
import { searchableText, wordsOf } from './search-words.rules.ts';

const scripts = String.raw`[\p{sc=Hani}\p{sc=Hira}\p{sc=Kana}\p{sc=Hang}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}\p{sc=Talu}]`;
const unspaced = new RegExp(`^(?=${scripts})[\\p{L}\\p{N}\\p{M}]$`, 'v');

function openWords() {
  const { db } = openMainDatabase();
  db.exec(`
    CREATE VIRTUAL TABLE words USING fts5 (text, content = '', tokenize = 'unicode61 remove_diacritics 2');
    CREATE VIRTUAL TABLE instance USING fts5vocab (words, instance);
  `);
  const add = db.prepare<[string]>('INSERT INTO words (text) VALUES (?)');
  const find = db.prepare<[string], number>('SELECT rowid FROM words WHERE words MATCH ?').pluck();
  return {
    db,
    add: (text: string) => Number(add.run(searchableText(text)).lastInsertRowid),
    find: (q: string) => find.all(`"${wordsOf(q).join(' ')}"`),
  };
}

const texts: [string, string][] = [
  ['Chinese', '我们今天部署新版本'],
  ['a character of another plane', '𠮷野家𠀀字'],
  ['Japanese', '東京タワーへ行きました々〆切'],
  ['Korean', '서버를 배포했습니다'],
  ['Thai', 'ที่นี่มีน้ำและข้าว'],
  ['Lao', 'ສະບາຍດີຊາວໂລກ'],
  ['Khmer', 'សួស្តីពិភពលោក'],
  ['Burmese', 'မင်္ဂလာပါကမ္ဘာ'],
];

describe('text without spaces', () => {
  it.each(texts)('is found by any two or more of its characters, in any form: %s', (_, text) => {
    const { add, find } = openWords();
    const id = add(text);
    const characters = Array.from(text.normalize('NFKC'));
    for (let start = 0; start < characters.length - 1; start++)
      for (let end = start + 2; end <= characters.length; end++) {
        const part = characters.slice(start, end).join('');
        for (const form of ['NFC', 'NFD', 'NFKD'] as const)
          expect(find(part.normalize(form)), part).toEqual([id]);
      }
  });

  it.each([
    ['用Docker部署', ['用', 'docker', '部署', 'Docker部', 'Ｄｏｃｋｅｒ', '署']],
    ['交给@ben处理', ['ben', '处理', '交给@ben']],
    ['Ｄｏｃｋｅｒ用', ['Docker', '用']],
    ['ﾄﾞｯｶｰを使う', ['ドッカー', 'ﾄﾞｯ', 'ッ', 'を使']],
    ['サーバー', ['ｻｰﾊﾞｰ', 'サーバ', 'ー']],
    ['서버를', ['서버', '서', '서버'.normalize('NFD'), '를']],
    ['the ﬁle', ['file']],
    ['a file', ['ﬁle']],
    ['㍿ミル', ['株式会社', '社ミ']],
    ['葛\u{e0100}城', ['葛城', '葛']],
    ['ភាសា\u200bខ្មែរ', ['ភាសាខ្មែរ']],
  ])('is found in mixed text and in compatible forms: %s', (text, queries) => {
    const { add, find } = openWords();
    const id = add(text);
    for (const q of queries) expect(find(q), q).toEqual([id]);
  });

  it('is not found by other text', () => {
    const { add, find } = openWords();
    add('我们部署 がく ที่');
    for (const q of ['署部', '我部', 'か', 'ท่', 'doc', '部着']) expect(find(q), q).toEqual([]);
  });

  it('is one word of the index per character, whatever the character', () => {
    const { db, add } = openWords();
    const added: number[] = [];
    db.exec('BEGIN');
    for (let code = 0x80; code < 0x11_0000; code++) {
      const character = String.fromCodePoint(code);
      if (unspaced.test(character) && character.normalize('NFKC') === character)
        added.push(add(`${character}${character}`));
    }
    db.exec('COMMIT');
    expect(added.length).toBeGreaterThan(100_000);
    expect(db.prepare('SELECT doc FROM instance GROUP BY doc HAVING count(*) = 2').all()).toHaveLength(
      added.length,
    );
  });
});
