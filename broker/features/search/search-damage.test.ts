/** A full-text index that is damaged (specification/search.md#damage). */
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { changeInside, overwriteRoot } from '../../testing/damage-store.ts';
import { startTestBroker, type TestBroker } from '../../testing/test-broker.ts';

let team: TestBroker;
beforeEach(async () => {
  team = await startTestBroker({ onDisk: true });
});
afterEach(() => team.stop());

const push = (body: string) => team.as('ada').call('push', { body: { body } });
const search = (q: string) => team.as('ben').call('search', { query: { q } });
const bodies = async (): Promise<string[]> =>
  (await team.as('ben').call('history', { query: {} })).messages.map(({ body }) => body);

const store = () => join(team.folder, 'main.db');
const overwriteSettings = (index: string) => () => overwriteRoot(store(), `${index}_config`);

it.for([
  ['the settings of messages', overwriteSettings('message_words')],
  ['the settings of objectives', overwriteSettings('objective_text')],
  ['its structure', "UPDATE message_words_data SET block = x'ffffffffffffff' WHERE id = 10"],
  ['its words', 'UPDATE message_words_data SET block = zeroblob(length(block)) WHERE id > 10'],
  ['the root of its table', () => overwriteRoot(store(), 'message_words_data')],
] as const)('refuses searches alone, also after a restart: %s', async ([, damage]) => {
  for (let n = 0; n < 30; n++) await push(`before ${n}`);
  expect((await search('before')).results.length).toBeGreaterThan(0);
  await team.restart(async () => {
    if (typeof damage === 'string') changeInside(store(), damage);
    else await damage();
  });
  await expect(search('before')).rejects.toMatchObject({ status: 503, reason: 'search_damaged' });
  // Posts share their turns with the index.
  await Promise.all(Array.from({ length: 40 }, (_, n) => push(`after ${n} @ben`)));
  expect(await bodies()).toHaveLength(50);
  await expect
    .poll(async () => (await team.as('ben').call('attention', {})).addressed)
    .toMatchObject([{ excerpt: expect.stringContaining('@ben') }]);
  await team.restart();
  await expect(search('after')).rejects.toMatchObject({ reason: 'search_damaged' });
  const damaged = async () => (await team.as('ada').call('attention', {})).damagedStores;
  await expect.poll(damaged).toMatchObject([{ store: 'main' }]);
  expect((await push('goes on')).message.body).toBe('goes on');
});

it('is found by a post, which succeeds, before anybody searches', async () => {
  await push('before');
  await search('before');
  await team.restart(async () =>
    changeInside(store(), "UPDATE message_words_data SET block = x'ffffffffffffff' WHERE id = 10"),
  );
  await push('after');
  await expect
    .poll(async () => (await team.as('ada').call('attention', {})).damagedStores)
    .toMatchObject([{ store: 'main' }]);
  expect(await bodies()).toEqual(expect.arrayContaining(['before', 'after']));
  expect(team.logged().match(/a store is damaged/g)?.length).toBeLessThanOrEqual(2);
});
