import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Objective } from '#protocol/objective.ts';
import { changeStore } from '../../testing/store-rows.ts';
import { type ObjectiveTeam, startObjectiveTeam } from './testing/objective-team.ts';

const count = 10_000;
let team: ObjectiveTeam;
beforeAll(async () => {
  team = await startObjectiveTeam({ onDisk: true });
  await team.broker.close();
  // Every third one is cy's, the others ben's; every tenth one is done. Their ids count down in the order of
  // creation.
  changeStore(
    join(team.folder, 'main.db'),
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
     INSERT INTO objective (num, id, title, outcome, body, status, assignee, originator, attachments, created_at, updated_at)
     SELECT i, printf('obj_%010d', ${count} - i), 'title ' || i, 'outcome', '${'x'.repeat(500)}',
       iif(i % 10 = 0, 'done', 'active'), iif(i % 3 = 0, 'cy', 'ben'), 'ora', '[]', i, i FROM n;
     INSERT INTO objective_watcher (num, position, member) VALUES (${count}, 0, 'dee'), (${count}, 1, 'cy'), (${count}, 2, 'ada');
     WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1234)
     INSERT INTO objective_event (num, seq, ts, actor, kind, payload) SELECT 5, i, i, 'ora', 'blocked', '{"reason":"x"}' FROM n;`,
  );
  await team.restart();
});
afterAll(() => team.stop());

const list = async (query: Record<string, string> = {}) =>
  (await team.as('dee').call('objectives', { query })).objectives;
const numbers = (objectives: readonly Objective[]) => objectives.map(({ createdAt }) => createdAt);
const downFrom = (from: number, length: number, keep = (_: number) => true) =>
  Array.from({ length: from }, (_, n) => from - n)
    .filter(keep)
    .slice(0, length);

describe('GET /objectives', () => {
  it('returns all of them without a limit, newest first, to every member', async () => {
    expect(numbers(await list())).toEqual(downFrom(count, count));
  });

  it('is streamed: a slow reader gets all of it, while others are answered', async () => {
    const headers = { authorization: `Bearer ${team.token('dee')}` };
    const slow = await new Promise<IncomingMessage>((resolve, reject) => {
      get(`${team.url}/objectives`, { headers, agent: false }, resolve).on('error', reject);
    });
    slow.pause();
    expect(slow.headers['transfer-encoding']).toBe('chunked');
    expect(await list({ limit: '1' })).toHaveLength(1);
    let text = '';
    for await (const chunk of slow.setEncoding('utf8')) text += chunk;
    expect((JSON.parse(text) as { objectives: Objective[] }).objectives).toHaveLength(count);
  });

  it('narrows by assignee, by status, and by both', async () => {
    const isCys = (n: number) => n % 3 === 0;
    const isDone = (n: number) => n % 10 === 0;
    expect(numbers(await list({ assignee: 'cy' }))).toEqual(downFrom(count, count, isCys));
    expect(numbers(await list({ status: 'done' }))).toEqual(downFrom(count, count, isDone));
    expect(numbers(await list({ assignee: 'cy', status: 'done' }))).toEqual(
      downFrom(count, count, (n) => isCys(n) && isDone(n)),
    );
    expect(await list({ assignee: 'dee' })).toEqual([]);
  });

  it('pages with limit and before, in the order of creation', async () => {
    const first = await list({ limit: '500' });
    expect(numbers(first)).toEqual(downFrom(count, 500));
    const second = await list({ limit: '3', before: first.at(-1)!.id });
    expect(numbers(second)).toEqual([count - 500, count - 501, count - 502]);
    const cys = await list({ limit: '2', assignee: 'cy', before: first.at(-1)!.id });
    expect(numbers(cys)).toEqual(downFrom(count - 500, 2, (n) => n % 3 === 0));
  });

  it('lists watchers in the order in which they were added', async () => {
    expect((await list({ limit: '1' }))[0]?.watchers).toEqual(['dee', 'cy', 'ada']);
  });

  it.each([
    'limit=0',
    'limit=501',
    'limit=x',
    'before=x',
    'before=obj_zzzzzzzzzz',
    'status=open',
    'assignee=..',
  ])('answers 400 to ?%s', async (query) => {
    const reply = await team.fetch('dee', `/objectives?${query}`);
    expect(reply.status).toBe(400);
    expect(await reply.json()).toMatchObject({ error: 'bad_request' });
  });

  it('counts what is created afterwards as newest', async () => {
    const made = await team.create();
    expect((await list({ limit: '1' }))[0]).toEqual(made);
    expect((await list({ limit: '1', status: 'active' }))[0]).toEqual(made);
  });
});

describe('GET /objectives/:id', () => {
  it('returns a long audit log completely, oldest first', async () => {
    const id = `obj_${String(count - 5).padStart(10, '0')}`;
    const { objective, events } = await team.as('dee').call('objective', { params: { id } });
    expect(objective.createdAt).toBe(5);
    expect(events.map(({ seq }) => seq)).toEqual(Array.from({ length: 1234 }, (_, n) => n + 1));
  });
});
