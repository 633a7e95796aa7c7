import { describe, expect, it } from 'vitest';
import { diffOf, editsOf } from './edits.rules.ts';

describe('a diff of two texts', () => {
  it('has what differs, with three lines around it', () => {
    expect(diffOf('a\nb\nc\nd\nold\nx\ny\nz\nw', 'a\nb\nc\nd\nnew\nx\ny\nz\nw')).toBe(
      [' b', ' c', ' d', '-old', '+new', ' x', ' y', ' z'].join('\n'),
    );
  });
  it('adds everything to an empty text, and removes everything from one that becomes empty', () => {
    expect(diffOf('', 'a\nb')).toBe('+a\n+b');
    expect(diffOf('a', '')).toBe('-a');
  });
  it('counts no line twice when lines repeat', () => {
    expect(diffOf('a\na', 'a\na\na')).toBe(' a\n a\n+a');
  });
});

describe('the edits of a call', () => {
  it.each([
    [{ file_path: 'a.ts', old_string: 'x', new_string: 'y' }, [{ path: 'a.ts', diff: '-x\n+y' }]],
    [
      {
        file_path: 'a.ts',
        edits: [
          { old_string: 'x', new_string: 'y' },
          { old_string: '1', new_string: '2' },
        ],
      },
      [
        { path: 'a.ts', diff: '-x\n+y' },
        { path: 'a.ts', diff: '-1\n+2' },
      ],
    ],
    [{ file_path: 'a.ts', content: 'x\ny' }, [{ path: 'a.ts', diff: '+x\n+y' }]],
    [
      { command: ['apply_patch', '*** Begin Patch\n*** Update File: b.ts\n@@\n-x\n+y\n*** End Patch'] },
      [{ path: 'b.ts', diff: '*** Begin Patch\n*** Update File: b.ts\n@@\n-x\n+y\n*** End Patch' }],
    ],
    ['*** Begin Patch\n*** End Patch', [{ path: 'a file', diff: '*** Begin Patch\n*** End Patch' }]],
  ])('are found in %o', (input, edits) => {
    expect(editsOf(input)).toEqual(edits);
  });

  it.each([
    [null],
    ['npm test'],
    [{ command: 'ls' }],
    [{ file_path: 'a.ts' }],
    [{ file_path: 7, old_string: 'x', new_string: 'y' }],
    [{ file_path: 'a.ts', old_string: 'x' }],
    [{ file_path: 'a.ts', edits: 'x' }],
  ])('are none in %o', (input) => {
    expect(editsOf(input)).toEqual([]);
  });
});
