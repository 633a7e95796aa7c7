import { expect, it } from 'vitest';
import { mutedNames } from './muted-names.rules.ts';

it('has the newest names, and no more than the broker reads', () => {
  expect(mutedNames(new Set(), 20)).toBe('');
  expect(mutedNames(new Set(['general', 'dm:ada']), 20)).toBe('dm:ada,general');
  expect(mutedNames(new Set(['general', 'dm:ada', 'dm:ben']), 20)).toBe('dm:ben,dm:ada');
  const many = new Set(Array.from({ length: 200 }, (_, n) => `dm:${'x'.repeat(60)}${n}`));
  expect(mutedNames(many, 8000).length).toBeLessThanOrEqual(8000);
});
