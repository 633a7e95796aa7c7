import process from 'node:process';
import { expect, it } from 'vitest';
import { longAnswer } from './testing/long-bodies.ts';
import { measuredPeak, startMeasuredRun } from './testing/measured-run.ts';

const MB = 1_000_000;
/** The aim is 150. Up to 15 more depend on how many other processes share the pages of Node, and on when V8 collects. */
const maxMiB = 165;

it.skipIf(process.platform !== 'linux')(
  'a runner and its bridge take at most 165 MiB together while the agent asks its model twelve times a second',
  async () => {
    await using run = await startMeasuredRun(longAnswer(MB));
    const load = { perSecond: 12, seconds: 10, bytes: MB };
    const { answers, underLoad } = await measuredPeak(run, load);
    expect(answers).toBe(120);
    expect(run.ended).toBeNull();
    expect(underLoad).toBeLessThan(maxMiB);
    const recorded = async () => {
      const { usage } = await run.team.as('ada').call('activityUsage', {});
      return usage.reduce((sum, { exchanges }) => sum + exchanges, 0);
    };
    await expect.poll(recorded).toBeGreaterThan(0);
  },
);
