import { describe, expect, it } from 'vitest';
import { isMentioned, mentionsIn, mentionsOf } from './mentions.ts';

describe('a mention', () => {
  it.each([
    ['@ben', ['ben']],
    ['hey @ben, @cy: and (@dan)', ['ben', 'cy', 'dan']],
    ['@ben. @cy- @dan!', ['ben', 'cy', 'dan']],
    ['@ben.b and @a-b_c', ['ben.b', 'a-b_c']],
    ['@benny @béa', ['benny']],
    ['@benø é@ben 1@cy я@dan x_@ada', []],
    ['cafe\u0301@ben @ben\u0301x jose\u0301@firma.de नमस्ते@ben', []],
    ['👍️@ben ✅@cy', ['ben', 'cy']],
    ['@@ben', ['ben']],
    ['no mention @ all @', []],
    ['@cy/@ben and @dan’s', ['cy', 'ben', 'dan']],
  ])('begins and ends at the boundaries of words in %j', (text, names) => {
    expect([...mentionsIn(text).keys()]).toEqual(names);
  });

  it.each(['交给@ben处理', 'これは@benさん', '벤@ben에게', 'ให้@benทำ', '请＠ben看', '、@ben。'])(
    'stands beside a script without spaces in %j',
    (text) => {
      expect([...mentionsIn(text).keys()]).toEqual(['ben']);
    },
  );

  it.each([
    '_@ben_',
    '*@ben*',
    '**@ben**',
    '~~@ben~~',
    '__@ben__:',
    '交给_@ben_',
    '# @ben',
    '> @ben',
    '- @ben',
    '1. @ben',
    '| @ben |',
    '<b>@ben</b>',
    '`x` @ben `y`',
    '\\`@ben\\`',
    'a\n    @ben',
    '```\nx\n```\n@ben',
    '> ```\n> x\n\n@ben',
    '- ```\n  x\n\n@ben',
    '`open @ben',
    '[ @ben ](not a link',
    '[@ben][unknown]',
  ])('stands in prose in %j', (text) => {
    expect([...mentionsIn(text).keys()]).toEqual(['ben']);
  });

  it.each([
    '`@ben`',
    '``a ` @ben``',
    '```\n@ben\n```',
    '~~~js\n@ben\n~~~',
    '```\n@ben',
    '    @ben',
    'a\n\n    @ben',
    '\t@ben',
    '> ```\n> @ben\n> ```',
    '- x\n\n  ```\n  @ben\n  ```',
    '1. ```\n   @ben\n   ```',
    '```@ben\n```',
    '`a\n@ben`',
  ])('is none in code in %j', (text) => {
    expect([...mentionsIn(text).keys()]).toEqual([]);
  });

  it.each([
    'me@ben.example',
    'a.b+c@ben',
    '<me@ben.example>',
    '[@ben](https://x.example)',
    '[x](https://x.example/@ben)',
    '![@ben](x.png)',
    '[@ben][one]\n\n[one]: https://x.example',
    '[@ben]\n\n[@ben]: /x',
    'https://x.example/@ben',
    '<https://x.example/@ben>',
    'www.x.example/@ben',
    'x.example/@ben',
    'ssh://git@ben/x',
    '@ben/package',
    'npm i @ben/package-name',
    '@ben@social.example',
    '[x](/y "@ben")',
  ])('is none in a link, an address, or the name of a package in %j', (text) => {
    expect([...mentionsIn(text).keys()]).toEqual([]);
  });

  it('is compared without regard to case', () => {
    expect(isMentioned('ben', { title: null, body: '@Ben' })).toBe(true);
    expect(isMentioned('Ben', { title: null, body: '@BEN' })).toBe(true);
    expect(isMentioned('be', { title: null, body: '@Ben' })).toBe(false);
  });

  it('in the title and in the body are found apart', () => {
    expect([...mentionsOf({ title: '@ada `', body: '@ben `' }).keys()].sort()).toEqual(['ada', 'ben']);
  });

  it('is found in a text that is too long for Markdown', () => {
    const rest = 'x '.repeat(10_000);
    expect([...mentionsIn(`@ben https://x.example/@cy ${rest}`).keys()]).toEqual(['ben']);
  });
});
