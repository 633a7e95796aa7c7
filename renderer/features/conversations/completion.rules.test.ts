import { describe, expect, it } from 'vitest';
import { completionAt, levelOf } from './completion.rules.ts';

const known = { names: ['ada', 'ben', 'Benno'], slugs: ['general', 'deck-plans', 'deck'] };
const at = (text: string) => completionAt(text, text.length, known);

describe('completion', () => {
  it('offers the names that begin with the typed letters, in upper or lower case', () => {
    expect(at('ask @B')).toEqual({ from: 4, options: ['@ben', '@Benno'] });
  });

  it('offers names beside a script without spaces, and after the sign of its full width', () => {
    expect(at('交给@ada')).toEqual({ from: 2, options: ['@ada'] });
    expect(at('请＠ada')).toEqual({ from: 1, options: ['@ada'] });
  });

  it('offers nothing inside a word, for a name that no member has, or without a mark', () => {
    for (const text of ['mail@b', '@x', 'ben', '']) expect(at(text), text).toBeNull();
  });

  it('uses the position of the caret, not the end of the text', () => {
    expect(completionAt('@a and more', 2, known)).toEqual({ from: 0, options: ['@ada'] });
  });

  it('offers at most eight names', () => {
    const many = Array.from({ length: 20 }, (_, n) => `bot-${n}`);
    expect(completionAt('@', 1, { names: many, slugs: [] })?.options).toHaveLength(8);
  });

  it('offers channels after the first letter, because the sign alone begins a heading', () => {
    expect(at('see #de')).toEqual({ from: 4, options: ['#deck-plans', '#deck'] });
    for (const text of ['#', 'x#de', '##de', '#x']) expect(at(text), text).toBeNull();
  });

  it('offers levels only at the start of the text', () => {
    expect(at('/w')?.options).toEqual(['/warning']);
    expect(at('see /w')).toBeNull();
  });
});

describe('the level of a message', () => {
  it('is its first word, and the rest is the message', () => {
    expect(levelOf('/warning Disk is full')).toEqual({ level: 'warning', body: 'Disk is full' });
  });

  it('is info for any other text, which stays unchanged', () => {
    for (const body of ['Disk is full', '/warning', '/unknown x'])
      expect(levelOf(body)).toEqual({ level: 'info', body });
  });
});
