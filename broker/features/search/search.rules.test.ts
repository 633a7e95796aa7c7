import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holdsAll, matchExpression, phrasesOf, snippetOf } from './search.rules.ts';

it('finds each phrase of words that repeat, as a comparison at each word does', () => {
  const words = fc.array(fc.constantFrom('a', 'b'), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(fc.array(fc.constantFrom('a', 'b'), { maxLength: 30 }), words, (text, phrase) => {
      const { ranges } = snippetOf(text.join(' '), [phrase]);
      const at = text.findIndex((_, start) => phrase.every((word, offset) => text[start + offset] === word));
      expect(ranges[0]?.[0]).toBe(at === -1 ? undefined : 2 * at);
    }),
  );
});

describe('the terms of a search', () => {
  it.each([
    ['deploy', [['deploy']]],
    ['deploy friday', [['deploy'], ['friday']]],
    ['"deploy on friday" now', [['deploy', 'on', 'friday'], ['now']]],
    ['log-in', [['log', 'in']]],
    ['"open quote', [['open', 'quote']]],
    [
      'a AND b OR NOT c NEAR(d) e* f:g',
      [['a'], ['AND'], ['b'], ['OR'], ['NOT'], ['c'], ['NEAR', 'd'], ['e'], ['f', 'g']],
    ],
  ])('are plain words and "phrases", never query syntax: %s', (q, phrases) => {
    expect(phrasesOf(q)).toEqual(phrases);
  });

  it.each(['', '   ', '"" - *', '()'])('must have a letter or digit: %j', (q) => {
    expect(() => phrasesOf(q)).toThrow('at least one letter or digit');
  });

  it('are at most 16 words and phrases', () => {
    expect(() => phrasesOf('a '.repeat(17))).toThrow('at most 16');
  });

  it('cannot leave their quotes', () => {
    fc.assert(
      fc.property(fc.string(), (q) => {
        let phrases: ReturnType<typeof phrasesOf>;
        try {
          phrases = phrasesOf(q);
        } catch {
          return;
        }
        const expression = matchExpression(['title', 'body'], phrases);
        expect(expression.replaceAll(/"[^"]*"/g, 'w')).toMatch(/^\(\{title body\} : \(w( AND w)*\)\)$/);
      }),
    );
  });
});

describe('a snippet', () => {
  const shown = (text: string, q: string) => {
    const { snippet, ranges } = snippetOf(text, phrasesOf(q));
    return { snippet, found: ranges.map(([start, end]) => snippet.slice(start, end)) };
  };

  it('shows where the words are', () => {
    expect(shown('We deploy on Friday.', 'friday deploy')).toEqual({
      snippet: 'We deploy on Friday.',
      found: ['deploy', 'Friday'],
    });
  });

  it('finds words without regard to case and diacritics, and phrases as a whole', () => {
    expect(shown('Café CRÈME, cafe au lait', '"café crème"').found).toEqual(['Café CRÈME']);
  });

  it('is one line of the text around the first match', () => {
    const { snippet, found } = shown(`${'before '.repeat(100)}needle\nin ${'after '.repeat(100)}`, 'needle');
    expect(found).toEqual(['needle']);
    expect(snippet.length).toBeLessThanOrEqual(182);
    expect(snippet).toMatch(/^….*needle in after.*…$/);
  });

  it('begins with the line of the match or, in a long line, with a word', () => {
    const after = ' after'.repeat(100);
    expect(shown(`${'before '.repeat(100)}\n- one needle${after}`, 'needle').snippet).toMatch(
      /^…- one needle/,
    );
    expect(shown(`${'before '.repeat(100)}needle${after}`, 'needle').snippet).toMatch(
      /^…before (before )*needle/,
    );
    expect(shown(`${'x'.repeat(100)}-needle${after}`, 'needle').snippet).toMatch(/^…x+-needle/);
  });

  it('has ranges within it, in order and without overlap, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 600 }), fc.string(), (text, q) => {
        let phrases: ReturnType<typeof phrasesOf>;
        try {
          phrases = phrasesOf(q);
        } catch {
          return;
        }
        const { snippet, ranges } = snippetOf(text, phrases);
        expect(snippet.isWellFormed()).toBe(true);
        let last = 0;
        for (const [start, end] of ranges) {
          expect(start).toBeGreaterThanOrEqual(last);
          expect(end).toBeGreaterThan(start);
          last = end;
        }
        expect(last).toBeLessThanOrEqual(snippet.length);
      }),
    );
  });
});

it('looks for the whole of a long phrase in what the index found by its beginning', () => {
  const words = Array.from({ length: 20 }, (_, n) => `w${n}`);
  const phrases = phrasesOf(`"${words.join(' ')}" other`);
  expect(matchExpression(['body'], phrases)).toContain('"w0 w1 w2 w3 w4 w5 w6 w7"');
  expect(holdsAll(`x ${words.join(', ')} other`, phrases)).toBe(true);
  expect(holdsAll(`x ${words.slice(0, 19).join(' ')} other ${words.join(' x ')}`, phrases)).toBe(false);
  expect(holdsAll('部'.repeat(30), phrasesOf('部'.repeat(31)))).toBe(false);
  expect(holdsAll('部'.repeat(31), phrasesOf('部'.repeat(31)))).toBe(true);
});
