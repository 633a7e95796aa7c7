import { expect, it } from 'vitest';
import { isInstant } from './audit-instant.ts';

it.each<[string, Parameters<typeof isInstant>[1], boolean]>([
  ['createdAt', 1_795_375_055_810, true],
  ['holds.endsAt', 0, true],
  ['count', 1_795_375_055_810, false],
  ['format', 1, false],
  ['createdAt', '1795375055810', false],
  ['createdAt', null, false],
  ['createdAt', -1, false],
  ['createdAt', 1.5, false],
  ['createdAt', 1e300, false],
])('the field %s with %j is a point in time: %s', (name, value, expected) => {
  expect(isInstant(name, value)).toBe(expected);
});
