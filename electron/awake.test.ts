import { beforeEach, expect, test } from 'vitest';
import { standin } from '../test/standin/standin.ts';
import { createAwake } from './awake.ts';

beforeEach(() => standin.reset());

test('prevents the suspension of the app once, and only while it is needed', () => {
  const awake = createAwake();
  const kinds = () => [...standin.blockers.values()];
  awake.set(false);
  expect(kinds()).toEqual([]);
  awake.set(true);
  awake.set(true);
  expect(kinds()).toEqual(['prevent-app-suspension']);
  awake.set(false);
  expect(kinds()).toEqual([]);
});
