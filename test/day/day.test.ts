import { randomInt } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { runDay } from './day-run.ts';

/** DAY_KILLS is 4 by default; `every` kills between every two steps. DAY_SEED repeats a run's choices. */
const wanted = process.env.DAY_KILLS ?? '4';
const kills = wanted === 'every' ? null : Number(wanted);
const seed = Number(process.env.DAY_SEED ?? randomInt(2 ** 32));

describe('a scripted day of a team of twelve', () => {
  it('shows everybody what they must see and nothing else, and keeps every acknowledged step through kill -9', {
    // Prevents an endless wait on a busy machine.
    timeout: kills === null ? 7_200_000 : 1_200_000,
  }, async () => {
    console.log(`day: DAY_KILLS=${wanted} DAY_SEED=${seed}`);
    const result = await runDay({ seed, kills, stepsPerCheck: kills === null ? 200 : 600 });
    console.log(`day: ${JSON.stringify(result)}`);
    expect(result.steps).toBeGreaterThan(800);
  });
});
