import { expect, it } from 'vitest';
import { kindOf } from './kind.rules.ts';

it.each([
  ['a member who never ran', { hasRun: false, hasAuthenticator: false }, 'person'],
  ['a member who ran', { hasRun: true, hasAuthenticator: false }, 'agent'],
  ['a member who ran and can log in', { hasRun: true, hasAuthenticator: true }, 'person'],
] as const)('derives the kind of %s', (_, facts, kind) => {
  expect(kindOf({ set: null, ...facts })).toBe(kind);
});

it.each(['person', 'agent'] as const)('prefers what an operator set: %s', (set) => {
  for (const hasRun of [true, false])
    for (const hasAuthenticator of [true, false]) expect(kindOf({ set, hasRun, hasAuthenticator })).toBe(set);
});
