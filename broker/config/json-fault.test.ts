import fc from 'fast-check';
import { expect, it } from 'vitest';
import { jsonFault } from './json-fault.ts';

it.each([
  ['', 1, 1],
  ['{', 1, 2],
  ['{"a": 1,}', 1, 9],
  ['{"a": nope}', 1, 7],
  ['{\n  "a": [1, 2,\n  ]\n}', 3, 3],
  ['{\r\n  "a" 1\r\n}', 2, 7],
  ['{"a": "unclosed}', 1, 7],
  ['{"a": 1} x', 1, 10],
  ['{"a": 01}', 1, 7],
  ["{'a': 1}", 1, 2],
  ['[1 2]', 1, 4],
  ['[}', 1, 2],
  ['// why\n{}', 1, 1],
])('finds where %j breaks', (text, line, column) => {
  expect(jsonFault(text)).toEqual({ line, column });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

it('agrees with the parser on what JSON is', () => {
  const pieces = [
    '{',
    '}',
    '[',
    ']',
    ',',
    ':',
    '"a"',
    '"\\u00e9"',
    '"\\x"',
    '1',
    '-0.5e+3',
    '01',
    'true',
    'null',
    ' ',
    '\n',
    '"',
    '\\',
  ];
  const soup = fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((parts) => parts.join(''));
  fc.assert(
    fc.property(fc.oneof(soup, fc.json(), fc.string()), (text) => {
      expect(jsonFault(text) === null).toBe(isJson(text));
    }),
    { numRuns: 3000 },
  );
});

it('handles nesting of any depth', () => {
  expect(jsonFault('['.repeat(200_000))).toEqual({ line: 1, column: 200_001 });
});
