import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { quoted, withVariable } from './shell-line.ts';

describe('a line to paste', () => {
  it.skipIf(process.platform === 'win32')('is one word for a POSIX shell, whatever it contains', () => {
    for (const word of ['plain', '/a b/c', "it's", '$HOME`id`"x"', 'back\\slash', '']) {
      expect(execFileSync('sh', ['-c', `printf %s ${quoted(word, 'linux')}`], { encoding: 'utf8' })).toBe(
        word,
      );
    }
  });

  it('sets a variable for one command', () => {
    expect(withVariable('X', '/a/b.json', 'muster chat', 'linux')).toEqual(["X='/a/b.json' muster chat"]);
  });

  it('has a form for PowerShell and one for cmd on Windows', () => {
    expect(withVariable('X', "C:\\it's\\b.json", 'muster chat', 'win32')).toEqual([
      "$env:X='C:\\it''s\\b.json'; muster chat   (PowerShell)",
      'set "X=C:\\it\'s\\b.json" && muster chat   (cmd)',
    ]);
  });
});
