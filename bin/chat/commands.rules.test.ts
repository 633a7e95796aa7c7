import { describe, expect, it } from 'vitest';
import { completionsOf, helpText, orderOf } from './commands.ts';

const typed = (text: string) => orderOf({ text, isText: false });

describe('an entered line', () => {
  it('is a message, or a command if it begins with one slash', () => {
    expect(typed('hello /quit')).toEqual({ kind: 'text', body: 'hello /quit' });
    expect(typed('//quit')).toEqual({ kind: 'text', body: '/quit' });
    expect(typed('/quit ')).toEqual({ kind: 'quit' });
    expect(typed('/with ben')).toEqual({ kind: 'with', member: 'ben' });
    expect(typed('/channel #soundings')).toEqual({ kind: 'channel', slug: '#soundings' });
    expect(orderOf({ text: '/quit\n/help', isText: true })).toEqual({ kind: 'text', body: '/quit\n/help' });
  });

  it('names a file, in quotation marks if its path has spaces, and a text', () => {
    expect(typed('/file a.txt')).toEqual({ kind: 'file', path: 'a.txt', body: undefined });
    expect(typed('/file "a b.txt" see  here')).toEqual({ kind: 'file', path: 'a b.txt', body: 'see  here' });
  });

  it.each([
    ['/qiut', 'there is no command "/qiut", so nothing was sent. Did you mean /quit?'],
    [
      '/etc/passwd',
      'there is no command "/etc/passwd", so nothing was sent. Enter /help for a list, or begin a message with "//".',
    ],
    ['/with', 'write /with <member>. Nothing was sent.'],
    ['/with ben and cy', 'write /with <member>. Nothing was sent.'],
    ['/quit now', 'write /quit. Nothing was sent.'],
    ['/file', 'write /file <local path> [text]. Nothing was sent.'],
  ])('%s is refused with a remedy', (text, sentence) => {
    expect(() => typed(text)).toThrow(sentence);
  });
});

describe('Tab', () => {
  const complete = (line: string) => completionsOf(line, ['ada', 'ben', 'bo'], ['general', 'soundings']);

  it('completes commands, members, channels, and mentions, and nothing else', () => {
    expect(complete('/ob')).toEqual(['/objectives ']);
    expect(complete('/with b')).toEqual(['/with ben ', '/with bo ']);
    expect(complete('/channel s')).toEqual(['/channel soundings ']);
    expect(complete('ask @a')).toEqual(['ask @ada ']);
    expect(complete('ask b')).toEqual([]);
  });
});

it('/help lists every command', () => {
  for (const name of ['/help', '/with', '/channel', '/file', '/objectives', '/quit', '//text'])
    expect(helpText()).toContain(`  ${name}`);
});
