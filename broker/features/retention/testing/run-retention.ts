import { expect } from 'vitest';
import type { RetentionPatch, RetentionRun } from '#protocol/retention.ts';
import type { TestBroker } from '../../../testing/test-broker.ts';

/** Begins a run as `ada` and waits until it has ended. */
export async function runRetention(team: Pick<TestBroker, 'as'>): Promise<RetentionRun> {
  await team.as('ada').call('runRetention', {});
  let run: RetentionRun | null = null;
  await expect
    .poll(
      async () => {
        run = (await team.as('ada').call('retention', {})).run;
        return run?.endedAt ?? null;
      },
      { timeout: 60_000, interval: 10 },
    )
    .not.toBeNull();
  if (run === null) throw new Error('there was no run');
  return run;
}

export const setRetention = (team: Pick<TestBroker, 'as'>, body: RetentionPatch) =>
  team.as('ada').call('updateRetention', { body });
