import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isDeeper } from '../../runtime/json-depth.rules.ts';
import { jsonBounds } from './json-bounds.rules.ts';

const encode = (text: string) => new TextEncoder().encode(text);

function boundsOf(value: unknown): { depth: number; containers: number } {
  if (typeof value !== 'object' || value === null) return { depth: 0, containers: 0 };
  const inner = Object.values(value).map(boundsOf);
  return {
    depth: 1 + Math.max(0, ...inner.map(({ depth }) => depth)),
    containers: 1 + inner.reduce((sum, { containers }) => sum + containers, 0),
  };
}

it('finds how deep a JSON text is nested and how many objects and lists it has, brackets in strings aside', () => {
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

it.each(['', '"', '"\\', '[', ']]]]', '{"a', '\u0000'])('takes the text %j, which is not JSON', (text) => {
  expect(jsonBounds(encode(text)).depth).toBeLessThan(2);
});

it('tells of a parsed value whether it is nested deeper than so many levels', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 8 }), fc.nat(10), (value, levels) => {
      expect(isDeeper(value, levels)).toBe(boundsOf(value).depth > levels);
    }),
  );
  expect(isDeeper(JSON.parse('['.repeat(400_000) + ']'.repeat(400_000)), 128)).toBe(true);
});
