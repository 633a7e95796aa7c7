import { describe, expect, it } from 'vitest';
import { callGist, inputFields, resultText, toolName } from './tool-call.rules.ts';

describe('a call of a tool', () => {
  it.each<[string, unknown]>([
    ['npm test', { command: 'npm test', description: 'Runs the tests' }],
    ['npm test', { command: ['bash', '-lc', 'npm test'] }],
    ['git status', { cmd: ['git', 'status'] }],
    ['src/a.ts', { file_path: 'src/a.ts' }],
    ['src/a.ts from 10', { file_path: 'src/a.ts', offset: 10, limit: 40 }],
    ['depth in src', { pattern: 'depth', path: 'src' }],
    ['to ben: It is done', { to: 'ben', body: 'It is done' }],
    ['#soundings: It is done', { channel: 'soundings', body: 'It is done' }],
    ['blocked: @ben has the key', { id: 'obj_1', status: 'blocked', blockReason: '@ben has the key' }],
    ['Draw the map', { title: 'Draw the map', outcome: 'It is drawn', assignee: 'kim' }],
    ['seconds: 30', { seconds: 30 }],
    ['2 todos', { todos: [{ content: 'Draw' }, { content: 'Report' }] }],
    ['', {}],
    ['', null],
    ['*** Begin Patch', '*** Begin Patch'],
  ])('is "%s" in one line', (gist, input) => {
    expect(callGist(input)).toBe(gist);
  });

  it('has the name of its tool without that of the server', () => {
    expect(toolName('mcp__svc__objectives_update')).toBe('objectives_update');
    expect(toolName('mcp__other__send')).toBe('mcp__other__send');
    expect(toolName('Bash')).toBe('Bash');
  });

  it('has its input as fields, not as one text of JSON', () => {
    expect(inputFields({ to: 'ben', attachments: ['/a', '/b'], limit: 3, deep: { a: 1 } })).toEqual([
      ['to', 'ben'],
      ['attachments', '/a /b'],
      ['limit', '3'],
      ['deep', '{\n "a": 1\n}'],
    ]);
    expect(inputFields('words')).toEqual([['', 'words']]);
  });
});

it.each<[string, unknown]>([
  ['all is well', 'all is well'],
  ['one\n[image]', [{ type: 'text', text: 'one' }, { type: 'image' }]],
  ['{\n  "type": "unknown"\n}', [{ type: 'unknown' }]],
  ['', null],
])('reads the result %j', (text, content) => {
  expect(resultText(content)).toBe(text);
});
