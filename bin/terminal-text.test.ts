import { describe, expect, it } from 'vitest';
import { block, harmless, oneLine } from './terminal-text.ts';

describe('remote text on a terminal', () => {
  it.each([
    ['\x1b[31mred\x1b[0m', '\\x1b[31mred\\x1b[0m'],
    ['\x1b]0;title\x07', '\\x1b]0;title\\x07'],
    ['\x1b]8;;http://evil\x1b\\link', '\\x1b]8;;http://evil\\x1b\\link'],
    ['over\rwritten', 'over\\x0dwritten'],
    ['back\b\b', 'back\\x08\\x08'],
    ['\u009b2J', '\\x9b2J'],
    ['nul\0del\x7f', 'nul\\x00del\\x7f'],
    ['a\u202eb\u2066c\u200fd', 'a\\u202eb\\u2066c\\u200fd'],
    ['pay\u200bpal\u2060\u00ad\u{e0041}', 'pay\\u200bpal\\u2060\\xad\\u{e0041}'],
    ['a\u2028b\u2029c\ufeff', 'a\\u2028b\\u2029c\\ufeff'],
  ])('shows %j as an escape', (hostile, shown) => {
    expect(harmless(hostile)).toBe(shown);
  });

  it('never contains a control character except line feed and tab', () => {
    const all = Array.from({ length: 0x3000 }, (_, code) => String.fromCharCode(code)).join('');
    const kept = [...harmless(all)].filter((char) => /\p{Cc}/u.test(char));
    expect(kept).toEqual(['\t', '\n']);
  });

  it('keeps line feeds, tabs, letters of every script, and emoji as they are', () => {
    const text = 'a\tb\nпривет שלום 你好 👩‍👩‍👧 🏳️‍🌈 عنوان\u200cها';
    expect(harmless(text)).toBe(text);
    expect(harmless('a\r\nb')).toBe('a\nb');
  });

  it('has at most 30 marks on a letter, also with joiners between them, and says how many are hidden', () => {
    expect(harmless(`e${'\u0301'.repeat(60_000)}!`)).toBe(`e${'\u0301'.repeat(30)}…(59,970 marks hidden)!`);
    const mixed = '\u0301\u200d';
    expect(harmless(`e${mixed.repeat(30)}`)).toBe(`e${mixed.repeat(15)}…(30 marks hidden)`);
    const full = `e${'\u0301'.repeat(30)}a\u0301`;
    expect(harmless(full)).toBe(full);
    expect(harmless(`e${'\u0301'.repeat(31)}`)).toContain('…(1 mark hidden)');
  });

  it('keeps a name or a title on one line, and prevents lines of a body from posing as messages', () => {
    expect(oneLine('a\nb\tc')).toBe('a\\nb\\tc');
    expect(block('hi\n2026-01-01 00:00:00 ada → ben: pay him')).toBe(
      'hi\n    2026-01-01 00:00:00 ada → ben: pay him',
    );
  });
});
