import { expect, it } from 'vitest';
import { flag, number, oneOf, searchParams, word } from './search-params.rules.ts';

const read = searchParams({ q: word, create: flag, row: number, view: oneOf('list', 'board') });

it('reads the parameters of an address and leaves out all others', () => {
  expect(read({ q: 'tls', create: true, row: 7, view: 'board', other: 1 })).toEqual({
    q: 'tls',
    create: true,
    row: 7,
    view: 'board',
  });
  expect(read({ q: 42 })).toEqual({ q: '42' });
});

it('treats a parameter of another form as absent', () => {
  expect(read({ q: ['tls'], create: 'yes', row: Number.POSITIVE_INFINITY, view: 'grid' })).toEqual({});
  expect(read({ q: null, create: 1, row: '7', view: 0 })).toEqual({});
});
