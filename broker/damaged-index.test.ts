/** A main store with a damaged index, and damage that a running broker meets (specification/configuration.md#damage). */
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
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
