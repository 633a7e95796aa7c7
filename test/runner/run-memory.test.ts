import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, it, onTestFinished } from 'vitest';
import { buildCommand } from '../../bin/build.ts';
import { longAnswer } from './testing/long-bodies.ts';
import { type MeasuredRun, measuredPeak, startMeasuredRun } from './testing/measured-run.ts';

const MB = 1_000_000;
const MiB = 1024 * 1024;
const maxBytes = {
  /** 143 MiB. */
  packed: 150 * MB,
  /** The first run compiles TypeScript in both processes, which takes up to 30 MiB more. */
  source: 165 * MiB,
};

async function expectMemoryBelow(bytes: number, run: MeasuredRun): Promise<void> {
  const load = { perSecond: 12, seconds: 10, bytes: MB };
  const { answers, underLoad } = await measuredPeak(run, load);
  expect(answers).toBe(120);
  expect(run.ended).toBeNull();
  expect(underLoad * MiB).toBeLessThan(bytes);
  const recorded = async () => {
    const { usage } = await run.team.as('ada').call('activityUsage', {});
    return usage.reduce((sum, { exchanges }) => sum + exchanges, 0);
  };
  await expect.poll(recorded).toBeGreaterThan(0);
}

/** The cache of compiled code is empty. */
describe.skipIf(process.platform !== 'linux')(
  'a runner and its bridge whose agent asks its model twelve times a second',
  () => {
    it('take at most 150 MB together as they are packed', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'muster-packed-'));
      onTestFinished(() => rmSync(folder, { recursive: true }));
      const command = join(folder, 'command');
      await buildCommand(command);
      await using run = await startMeasuredRun(longAnswer(MB), join(command, 'muster.js'));
      await expectMemoryBelow(maxBytes.packed, run);
    });

    it('take at most 165 MiB together in the first run of a source checkout', async () => {
      await using run = await startMeasuredRun(longAnswer(MB));
      await expectMemoryBelow(maxBytes.source, run);
    });
  },
);
