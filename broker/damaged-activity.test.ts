/** A broker whose activity store is damaged or cannot be used (specification/configuration.md#damage). */
import { mkdir, readFile, rename, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { exchange } from './features/activity/testing/activity-team.ts';
import { changeInside, overwrite } from './testing/damage-store.ts';
import { startTestBroker, type TestBroker } from './testing/test-broker.ts';

let team: TestBroker;
beforeEach(async () => {
  team = await startTestBroker({ onDisk: true });
});
afterEach(() => team.stop());

const path = () => join(team.folder, 'activity.db');

const event = { kind: 'tool_call', ts: 1, data: {} };
const upload = (name: string, events: object[] = [event]) =>
  team.fetch(name, `/members/${name}/activity`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ events }),
  });
const refused = { error: 'unavailable', reason: 'store_damaged' };

const cases: [string, () => Promise<void>][] = [
  ['whose header is overwritten', () => overwrite(path(), 0, 100)],
  ['with a damaged page', () => overwrite(path(), 16_384, 16_384)],
  ['that is cut off', async () => truncate(path(), 3 * 16_384)],
  [
    'that is a folder',
    async () => {
      await rename(path(), `${path()}.aside`);
      await mkdir(path());
    },
  ],
];

describe('a start beside an activity store', () => {
  it.for(cases)('%s: works without it, says so, and leaves the file alone', async ([, damage]) => {
    let before: Buffer | null = null;
    await team.restart(async () => {
      await damage();
      before = (await stat(path())).isFile() ? await readFile(path()) : null;
    });
    const { message } = await team.as('ada').call('push', { body: { body: 'goes on' } });
    const { messages } = await team.as('ben').call('history', { query: {} });
    expect(messages).toMatchObject([{ id: message.id }]);
    // A change that is also activity waits in the main store.
    await team.as('ada').call('createObjective', { body: { title: 'Ship', outcome: 'x', assignee: 'ben' } });

    for (const reply of [await upload('ben'), await team.fetch('ben', '/members/ben/activity')]) {
      expect(reply.status).toBe(503);
      expect(await reply.json()).toMatchObject({
        ...refused,
        message: expect.stringContaining('muster repair'),
      });
    }
    const { damagedStores } = await team.as('ada').call('attention', {});
    expect(damagedStores).toMatchObject([{ store: 'activity', cause: expect.stringContaining(path()) }]);
    expect(await team.as('ben').call('attention', {})).not.toHaveProperty('damagedStores');
    const { stores } = await team.as('ada').call('diagnostics', {});
    expect(stores.find(({ name }) => name === 'activity')?.damage).toContain(path());
    expect(team.logged().match(/a store is damaged or cannot be used/g)).toHaveLength(1);
    expect(team.logged()).not.toContain('made up for at the next start');
    if (before !== null) expect(await readFile(path())).toEqual(before);
    else await rm(path(), { recursive: true });
  });
});

it('reads requests whose pieces are missing, and says so in their place', async () => {
  const request = {
    ...{ system: 's'.repeat(5000), tools: null, maxTokens: 1, temperature: null },
    messages: [{ role: 'user', content: [{ type: 'text', text: 't'.repeat(5000) }] }],
  };
  expect((await upload('ben', [exchange(1, { request })])).status).toBe(200);
  await team.restart(async () => changeInside(path(), 'DELETE FROM piece'));
  const reply = await team.fetch('ben', '/members/ben/activity');
  expect(reply.status).toBe(200);
  const text = await reply.text();
  expect(text.match(/The store lost this part of the request/g)).toHaveLength(2);
});
