import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createHttpClient } from '#client/http-client.ts';
import { createClient } from '#protocol/client.ts';
import { limits } from '#protocol/limits.ts';
import { createSeededRandom } from '../../../test/crash/seeded-random.ts';
import { prepareServedBroker, type ServedBroker } from '../../../test/crash/served-broker.ts';
import { indexDifferencesIn } from '../../testing/index-differences.ts';
import { storeRows } from '../../testing/store-rows.ts';
import { runRetention } from './testing/run-retention.ts';

const count = 400;
const kills = 6;
const text = 'word '.repeat(1600);

let broker: ServedBroker;
beforeEach(async () => {
  broker = await prepareServedBroker(['ada', 'ben'], { blocks: { retention: {} } });
});
afterEach(() => broker.remove());

const as = (name: string) =>
  createClient(createHttpClient({ url: broker.url, token: broker.token(name) }).send);
const activityFile = () => join(broker.mainDbPath, '..', 'activity.db');
const idsOf = (file: string, table: string, id: string) =>
  storeRows<{ id: number }>(file, `SELECT ${id} AS id FROM ${table} ORDER BY 1`).map((row) => row.id);

async function fill(): Promise<void> {
  for (let n = 0; n < count; n += 20) {
    const posts = Array.from({ length: 20 }, (_, m) =>
      as('ada').call('push', { body: { body: `${n + m} @ben ${text}`, ...(m % 2 === 0 && { to: 'ben' }) } }),
    );
    await Promise.all(posts);
    const reply = await fetch(`${broker.url}/members/ben/activity`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${broker.token('ben')}` },
      body: JSON.stringify({ events: Array.from({ length: 20 }, (_, m) => exchange(n + m)) }),
    });
    if (!reply.ok) throw new Error(`the upload answered ${reply.status}`);
  }
  await as('ada').call('search', { query: { q: 'word' } });
}

const exchange = (n: number) => ({
  kind: 'llm_exchange',
  ts: n,
  duration: 1,
  entry: {
    kind: 'anthropic_messages',
    provider: 'x',
    model: 'm',
    startedAt: n,
    endedAt: n,
    request: {
      system: text,
      messages: [{ role: 'user', content: [{ type: 'text', text: `${n} ${text}` }] }],
      tools: null,
      maxTokens: null,
      temperature: null,
    },
    response: null,
  },
});

it('is complete between any two steps: after kill -9, nothing refers to what is gone, and the audit log has every removal once', async () => {
  const random = createSeededRandom(7);
  await broker.start();
  await fill();
  const messages = idsOf(broker.mainDbPath, 'message', 'seq');
  const activity = idsOf(activityFile(), 'activity', 'id');
  const small = { maxBytes: 2 ** 20 };
  await as('ada').call('updateRetention', { body: { messages: small, activity: small } });
  for (let round = 0; round < kills; round++) {
    await as('ada').call('runRetention', {});
    // As many requests as it takes for the run to be somewhere else each time.
    for (let n = 8 * (round + 1) + random.below(8); n > 0; n--) await as('ada').call('retention', {});
    await broker.kill();
    await broker.start();
  }
  const removed = await runRetention({ as });
  // The index is compared below, and on a slow disk it is filled long after the last removal.
  const indexed = () =>
    storeRows(broker.mainDbPath, "SELECT up_to AS seq FROM index_progress WHERE what = 'message'");
  await expect.poll(indexed).toEqual([{ seq: messages.at(-1) }]);
  await broker.kill();

  const left = idsOf(broker.mainDbPath, 'message', 'seq');
  expect(left.length).toBeGreaterThan(50);
  expect(left).toEqual(messages.slice(-left.length));
  expect(removed.messages).toBe(messages.length - left.length);
  const rows = idsOf(activityFile(), 'activity', 'id');
  // As many as one run that is not cut off leaves, which removes whole steps of rows.
  expect(rows.length).toBeGreaterThanOrEqual(limits.retention.perStep.activity);
  expect(rows).toEqual(activity.slice(-rows.length));
  expect(removed.activity).toBe(activity.length - rows.length);
  for (const file of [broker.mainDbPath, activityFile()])
    expect(storeRows(file, 'SELECT * FROM removal')).toEqual([]);

  const one = <T>(sql: string): T[] => storeRows<T>(broker.mainDbPath, sql);
  expect(one('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }]);
  expect(one('PRAGMA foreign_key_check')).toEqual([]);
  expect(indexDifferencesIn(broker.mainDbPath)).toEqual([]);
  for (const table of ['mention', 'addressed', 'evidence'])
    expect(one(`SELECT seq FROM ${table} WHERE seq NOT IN (SELECT seq FROM message)`), table).toEqual([]);
  expect(one('SELECT bytes FROM message_size')).toEqual(
    one('SELECT sum(length(body) + length(data) + length(attachments) + 256) AS bytes FROM message'),
  );
  const pieces = storeRows<{ id: number }>(
    activityFile(),
    `SELECT id FROM piece p WHERE NOT EXISTS (SELECT 1 FROM piece WHERE previous = p.id)
       AND NOT EXISTS (SELECT 1 FROM split_request WHERE p.id IN (system, tools, messages))`,
  );
  expect(pieces).toEqual([]);
});
