import fc from 'fast-check';
import { expect, it } from 'vitest';
import { jsonBounds } from './json-bounds.rules.ts';
import { isDeeper } from './json-depth.rules.ts';

const encode = (text: string) => new TextEncoder().encode(text);

function boundsOf(value: unknown): { depth: number; containers: number } {
  if (typeof value !== 'object' || value === null) return { depth: 0, containers: 0 };
  const inner = Object.values(value).map(boundsOf);
  return {
    depth: 1 + Math.max(0, ...inner.map(({ depth }) => depth)),
    containers: 1 + inner.reduce((sum, { containers }) => sum + containers, 0),
  };
}

it('finds the depth of a JSON text and the number of its objects and lists, ignoring brackets in strings', () => {
  expect(jsonBounds(encode(String.raw`{"a[{":["]\"[",{}],"b\\":[]}`))).toEqual({ depth: 3, containers: 4 });
  fc.assert(
    fc.property(
      fc.jsonValue({ maxDepth: 8, stringUnit: 'binary' }),
      fc.constantFrom(0, 2),
      (value, indent) => {
        expect(jsonBounds(encode(JSON.stringify(value, null, indent)))).toEqual(
          boundsOf(JSON.parse(JSON.stringify(value))),
        );
      },
    ),
  );
});

it.each(['', '"', '"\\', '[', ']]]]', '{"a', '\u0000'])('handles the text %j, which is not JSON', (text) => {
  expect(jsonBounds(encode(text)).depth).toBeLessThan(2);
});

it('reports whether a parsed value is nested deeper than a number of levels', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 8 }), fc.nat(10), (value, levels) => {
      expect(isDeeper(value, levels)).toBe(boundsOf(value).depth > levels);
    }),
  );
  expect(isDeeper(JSON.parse('['.repeat(400_000) + ']'.repeat(400_000)), 128)).toBe(true);
});
