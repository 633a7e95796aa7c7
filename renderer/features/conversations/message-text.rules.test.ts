import { describe, expect, it } from 'vitest';
import { descriptionOf, quoteInMarkdown, titleOfMessage } from './message-text.rules.ts';

describe('a quote', () => {
  it('names the author and marks each line', () => {
    expect(quoteInMarkdown({ from: 'ben', body: 'one\n\n> two\n' })).toBe(
      '> ben wrote:\n> one\n>\n> > two\n\n',
    );
  });
  it('is bounded', () => {
    expect(quoteInMarkdown({ from: 'ben', body: 'x'.repeat(5000) }).length).toBeLessThan(1100);
  });
});

describe('the title of an objective', () => {
  it.each([
    ['the title of the message', { title: ' Sail ', body: 'x' }, 'Sail'],
    [
      'the first line with words',
      { title: null, body: '\n---\n## **Mend** the `sail`\nmore' },
      'Mend the sail',
    ],
    ['empty without words', { title: null, body: '---' }, ''],
  ])('is %s', (_, message, title) => {
    expect(titleOfMessage(message)).toBe(title);
  });
});

it('describes where an objective comes from, within the limit of a description', () => {
  expect(descriptionOf({ from: 'ben', body: 'Torn' }, 'https://x/y')).toBe(
    'Torn\n\nFrom a message of ben: https://x/y',
  );
  expect(descriptionOf({ from: 'ben', body: 'x'.repeat(9000) }, null).length).toBe(4096);
});
