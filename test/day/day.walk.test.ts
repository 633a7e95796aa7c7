import { expect, it } from 'vitest';
import { runDay } from './day-run.ts';

it('the morning of a team of twelve shows everybody what they must see and nothing else, also through kill -9', async () => {
  const result = await runDay({ seed: 1, kills: 1, stepsPerCheck: 600, maxSteps: 60 });
  expect(result).toMatchObject({ kills: 1 });
  expect(result.steps).toBeGreaterThan(40);
});
