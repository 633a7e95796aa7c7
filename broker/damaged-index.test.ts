/** A main store with a damaged index, and damage that a running broker meets (specification/configuration.md#damage). */
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { overwriteRoot } from './testing/damage-store.ts';
import { startTestBroker, type TestBroker } from './testing/test-broker.ts';

let team: TestBroker;
beforeEach(async () => {
  team = await startTestBroker({ onDisk: true });
});
afterEach(() => team.stop());

const damaged = async () => (await team.as('ada').call('attention', {})).damagedStores;

it('starts, says so, serves what does not need the index, and refuses what needs it', async () => {
  await team.as('ada').call('push', { body: { body: 'before' } });
  await team.restart(() => overwriteRoot(join(team.folder, 'main.db'), 'message_by_scope'));
  expect(await damaged()).toMatchObject([{ store: 'main' }]);
  expect((await team.as('ada').call('roster', {})).teammates).toHaveLength(3);
  const refused = await team.fetch('ben', '/history');
  expect(refused.status).toBe(503);
  expect(await refused.json()).toMatchObject({
    reason: 'store_damaged',
    message: expect.stringContaining('muster repair'),
  });
  const push = team.as('ada').call('push', { body: { body: 'after' } });
  await expect(push).rejects.toMatchObject({ reason: 'store_damaged' });
});

it('starts although an index is damaged by which it finds approvals that are not finished', async () => {
  await team.restart(() => overwriteRoot(join(team.folder, 'main.db'), 'enrollment_by_status'));
  expect(await damaged()).toMatchObject([{ store: 'main' }]);
  expect((await team.as('ada').call('roster', {})).teammates).toHaveLength(3);
});

describe('the inbox when a running broker meets a damaged index', () => {
  const inboxOf = (name: string) => team.as(name).call('inbox', {});
  const inboxIndexes = [
    'attention_mark_by_age',
    'critical_message',
    'conversation_by_newest',
    'objective_by_status',
    'objective_of_originator',
    'objective_result',
    'enrollment_by_status',
  ];

  it.for(inboxIndexes)(
    '%s: has what managers can still read, after the item about the store',
    async (name) => {
      const objective = { title: 'Draw the coast', outcome: 'It is drawn', assignee: 'ben' };
      const { id } = await team.as('ada').call('createObjective', { body: objective });
      await team.as('ben').call('updateObjective', {
        params: { id },
        body: { status: 'blocked', blockReason: 'No ink' },
      });
      await team.as('ben').call('push', { body: { to: 'ada', body: 'It burns', level: 'critical' } });
      await team.restart();
      await overwriteRoot(join(team.folder, 'main.db'), name);
      const { items } = await inboxOf('ada');
      expect(items[0]).toMatchObject({
        kind: 'critical',
        title: 'The main store is damaged or cannot be used',
      });
      expect(items.length).toBeGreaterThan(1);
    },
  );

  it('is refused to others, who are not told of the damage', async () => {
    await team.restart();
    await overwriteRoot(join(team.folder, 'main.db'), 'objective_result');
    await expect(inboxOf('ben')).rejects.toMatchObject({ reason: 'store_damaged' });
  });
});
