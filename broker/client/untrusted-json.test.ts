import { expect, it } from 'vitest';
import { fieldsOf, isInstant, parsedJson } from './untrusted-json.ts';

it.each(['', '{', 'null', '[1]', '"text"', '7'])('finds no field in %j', (text) => {
  expect(fieldsOf(parsedJson(text)).url).toBeUndefined();
});

it('returns the fields of an object', () => {
  expect(fieldsOf(parsedJson('{"url":"a","more":[1]}'))).toEqual({ url: 'a', more: [1] });
});

it.each([-1, 1.5, 2 ** 53, '1', null])('does not take %j for a point in time', (value) => {
  expect(isInstant(value)).toBe(false);
});
