import { expect } from 'vitest';
import type { RetentionPatch } from '#protocol/retention.ts';
import type { TestBroker } from '../../../testing/test-broker.ts';

type Team = Pick<TestBroker, 'as'>;

export const setRetention = (team: Team, body: RetentionPatch) =>
  team.as('ada').call('updateRetention', { body });

/**
 * Begins a run as `ada` and waits for its end. Returns how much was removed in all runs until then, as the audit log says, because
 * the housekeeping runs as well.
 */
export async function runRetention(
  team: Team,
): Promise<{ messages: number; activity: number; audit: number }> {
  const isEnded = async () => (await team.as('ada').call('retention', {})).run?.endedAt !== null;
  await team.as('ada').call('runRetention', {});
  await expect.poll(isEnded).toBe(true);
  const query = { kind: 'retention_removed', limit: '500' } as const;
  const { records } = await team.as('ada').call('audit', { query });
  const removed = { messages: 0, activity: 0, audit: 0 };
  for (const { subject, after } of records) {
    const [block = ''] = (subject ?? '').split('.');
    const of = block === 'channels' ? 'messages' : (block as keyof typeof removed);
    removed[of] += Number(after?.count);
  }
  return removed;
}
