import { expect, it } from 'vitest';
import { createSlots } from './slots.ts';

it('gives each key its number of slots, and a slot that was given back again, once', () => {
  const slots = createSlots(() => 2);
  const first = slots.take('a');
  expect(slots.take('a')).not.toBeNull();
  expect(slots.take('a')).toBeNull();
  expect(slots.take('b')).not.toBeNull();
  first?.();
  first?.();
  expect(slots.take('a')).not.toBeNull();
  expect(slots.take('a')).toBeNull();
});
