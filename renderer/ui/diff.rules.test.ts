import { describe, expect, it } from 'vitest';
import { linesOfDiff } from './diff.rules.ts';

const shortOf = (diff: string) =>
  linesOfDiff(diff).map(({ kind, text, before, after }) => [kind, text, before, after]);

describe('the lines of a diff', () => {
  it('have the numbers from the header of their hunk', () => {
    expect(
      shortOf('diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -4,3 +4,3 @@ part\n one\n-two\n+2\n three\n'),
    ).toEqual([
      ['file', 'diff --git a/x b/x', null, null],
      ['file', '--- a/x', null, null],
      ['file', '+++ b/x', null, null],
      ['place', '@@ -4,3 +4,3 @@ part', null, null],
      ['same', 'one', 4, 4],
      ['removed', 'two', 5, null],
      ['added', '2', null, 5],
      ['same', 'three', 6, 6],
    ]);
  });

  it('have no numbers without a header', () => {
    expect(shortOf('+a\n-b\nc')).toEqual([
      ['added', 'a', null, null],
      ['removed', 'b', null, null],
      ['same', 'c', null, null],
    ]);
  });

  it('are not headers of a file inside a hunk', () => {
    expect(shortOf('@@ -1,1 +1,1 @@\n--- x\n+++ y').slice(1)).toEqual([
      ['removed', '-- x', 1, null],
      ['added', '++ y', null, 1],
    ]);
  });

  it('belong to the next file after its header', () => {
    const kinds = linesOfDiff('@@ -1 +1 @@\n-a\n+b\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-c\n+d').map(
      ({ kind }) => kind,
    );
    expect(kinds).toEqual(['place', 'removed', 'added', 'file', 'file', 'place', 'removed', 'added']);
  });
});
