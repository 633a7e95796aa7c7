import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { phrasesOf, snippetOf } from './search.rules.ts';
import { folded, placesIn, searchableText, wordsOf } from './search-words.rules.ts';

it('keeps words in other scripts as they are', () => {
  for (const text of [
    'We deploy on Friday.',
    'Café CRÈME – Ωμέγα, привет!',
    'नमस्ते दुनिया',
    'مَرْحَبًا',
    'log-in v2.0',
  ])
    expect(searchableText(text)).toBe(text);
});

describe('the places of words', () => {
  const shown = (text: string, q: string) => {
    const { snippet, ranges } = snippetOf(text, phrasesOf(q));
    return ranges.map(([start, end]) => snippet.slice(start, end));
  };

  it.each([
    ['用Docker部署。部署', '部署', ['部署', '部署']],
    ['用Ｄｏｃｋｅｒ部署', 'docker部', ['Ｄｏｃｋｅｒ部']],
    ['the ﬁle ﬁt', 'fit', ['ﬁt']],
    ['half ﾄﾞｯｶｰ', 'ドッカ', ['ﾄﾞｯｶ']],
    ['cafe\u0301 ½ … 部', '部', ['部']],
    ['𠮷野家', '野家', ['野家']],
    ['が か', 'か', ['か']],
    ['か\u3099 か', 'が', ['か\u3099']],
    ['ㅋㅋ 한국어'.normalize('NFD'), '국어', ['국어'.normalize('NFD')]],
    ['น้ำที่', 'ที่', ['ที่']],
    ['㍿ミル', '会社ミ', ['㍿ミ']],
  ])('are in the text as it was written: %s', (text, q, expected) => {
    expect(shown(text, q)).toEqual(expected);
  });

  it('are in a text of the longest kind', () => {
    expect(shown(`${'ﬁ前'.repeat(9000)}部署`, '部署')).toEqual(['部署']);
  });

  it('have the words of the index, in its order', () => {
    const some = fc.constantFrom(
      ...'aé Ｄﬁ½…㎏.1部𠮷がｶﾞーｰ한글ᄒ\u1161\u11abㄱㅏﾡน้ำที่ខ្មែរ\u0301\u0316\u3099\u200b\ufe0f\u{e0100}\uFDFA',
    );
    fc.assert(
      fc.property(fc.array(some, { maxLength: 40 }), (characters) => {
        const text = characters.join('');
        const places = [...placesIn(text)];
        expect(places.map(({ word }) => word)).toEqual(wordsOf(text).map(folded));
        for (const { start, end } of places)
          expect([start < end, end <= text.length, text.slice(start, end).isWellFormed()]).toEqual([
            true,
            true,
            true,
          ]);
      }),
      { numRuns: 1000 },
    );
  });

  it('come from characters that stand for several only if a text is not full of them', () => {
    const text = `${'㌖'.repeat(1000)} か\u3099`;
    expect([wordsOf(text), [...placesIn(text)].map(({ word }) => word)]).toEqual([['が'], ['が']]);
    expect(wordsOf('㌖'.repeat(20))).toHaveLength(120);
  });

  it('are found without ordering more marks on one character than a language has', () => {
    const text = `a${'\u0301\uff9e\u0316'.repeat(10_000)}b 部`;
    const words = wordsOf(text).map(folded);
    expect([words.length < 40, words.at(-1)]).toEqual([true, '部']);
    expect([...placesIn(text)].map(({ word }) => word)).toEqual(words);
  });
});
