/** The items that need a member, as the broker answers them (specification/attention.md#inbox). */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { ActivityEvent } from '#protocol/activity.ts';
import { startTestBroker, type TestBroker } from '../../testing/test-broker.ts';

let team: TestBroker;
let now = Date.UTC(2026, 10, 26, 12);
beforeAll(async () => {
  team = await startTestBroker({
    members: { ada: ['admin'], ben: ['operator'], cy: [], rex: [] },
    clock: () => now,
  });
});
beforeEach(() => {
  now += 60_000;
});
afterAll(() => team.stop());

const inbox = async (name: string, muted?: string) =>
  (await team.as(name).call('inbox', { query: { muted } })).items;

it('says nothing to a member whom nothing needs', async () => {
  expect(await inbox('cy')).toEqual([]);
});

it('has unread messages, the critical ones first, and neither after they are read', async () => {
  await team.as('ada').call('push', { body: { to: 'cy', body: 'Have a look' } });
  const { message } = await team
    .as('ada')
    .call('push', { body: { to: 'cy', body: 'It burns', level: 'critical' } });
  expect(await inbox('cy')).toMatchObject([
    { kind: 'critical', title: 'Critical message from ada in', scope: 'dm:ada', detail: 'It burns' },
    { kind: 'direct', title: '1 direct message from ada', place: { kind: 'conversation', scope: 'dm:ada' } },
  ]);
  await team.as('cy').call('reportRead', { body: { scope: 'dm:ada', upTo: message.id } });
  expect(await inbox('cy')).toEqual([]);
});

it('shows text by members without Markdown, and of muted conversations only mentions and critical messages', async () => {
  const tell = (body: string) => team.as('ada').call('push', { body: { to: 'cy', body } });
  await tell('# Plan\n\n- **look** at `x`');
  expect(await inbox('cy')).toMatchObject([{ kind: 'direct', detail: 'Plan look at x' }]);
  expect(await inbox('cy', 'general,dm:ada')).toEqual([]);
  const { message } = await tell('Now, @cy');
  expect(await inbox('cy', 'general,dm:ada')).toMatchObject([
    { kind: 'mention', title: '1 mention from ada', detail: 'Now, @cy' },
  ]);
  await team.as('cy').call('reportRead', { body: { scope: 'dm:ada', upTo: message.id } });
});

it('has a blocked objective for the one who asked for it, until it is marked, and again when the reason changes', async () => {
  const body = { title: 'Draw the coast', outcome: 'It is drawn', body: '', assignee: 'cy', watchers: [] };
  const { id } = await team.as('ben').call('createObjective', { body });
  const block = (blockReason: string) =>
    team.as('cy').call('updateObjective', { params: { id }, body: { status: 'blocked', blockReason } });
  await block('No ink');
  const blocked = async () => (await inbox('ben')).filter(({ kind }) => kind === 'blocked');
  const [item] = await blocked();
  expect(item).toMatchObject({ title: 'Blocked: Draw the coast', place: { kind: 'objective', id } });
  await team.as('ben').call('markAttention', { body: { item: item?.key ?? '', until: now + 1000 } });
  expect(await blocked()).toEqual([]);
  now += 1000;
  expect(await blocked()).toHaveLength(1);
  await team.as('ben').call('markAttention', { body: { item: item?.key ?? '', until: null } });
  now += 1;
  await team.as('cy').call('updateObjective', { params: { id }, body: { blockReason: 'No paper either' } });
  expect(await blocked()).toMatchObject([{ detail: 'cy: No paper either' }]);
});

it('has devices and agents for managers only, with when a refusal ends', async () => {
  const { userCode } = await team.as('cy').call('enroll', { body: { labelHint: 'tablet' } });
  const stream = await team.stream('rex');
  const claim = { runId: randomUUID(), host: 'mill', agent: 'Claude Code 2' };
  await team.as('rex').call('takeRun', { body: claim });
  const until = now + 3_600_000;
  await team
    .as('rex')
    .call('reportModel', { body: { state: 'refusing', cause: 'limit', until, detail: 'used up' } });
  expect(await inbox('ada')).toMatchObject([
    { kind: 'agent', title: 'rex cannot work', until, place: { kind: 'member', name: 'rex' } },
    { kind: 'device', title: 'tablet is waiting for approval', place: { kind: 'device', code: userCode } },
  ]);
  expect((await inbox('ben')).filter(({ kind }) => kind === 'agent' || kind === 'device')).toEqual([]);
  await team.as('rex').call('reportModel', { body: { state: 'working' } });
  await team.as('rex').call('renewRun', { params: { id: claim.runId }, body: { reach: 'nothing' } });
  expect((await inbox('ada'))[0]).toMatchObject({ kind: 'agent', title: 'rex cannot work' });
  stream.close();
});

it('has an agent that worked for half an hour without its model, until there is an exchange', async () => {
  const stream = await team.stream('rex');
  const runId = randomUUID();
  await team.as('rex').call('takeRun', { body: { runId, host: 'mill', agent: 'Claude Code 2' } });
  const stuck = async () => {
    await team.as('rex').call('renewRun', { params: { id: runId }, body: {} });
    await team.as('rex').call('reportBusy', { body: { busy: true } });
    return (await inbox('ada')).filter(({ title }) => title === 'rex may be stuck');
  };
  now += 29 * 60_000;
  expect(await stuck()).toEqual([]);
  now += 60_000;
  expect(await stuck()).toMatchObject([{ kind: 'agent', place: { kind: 'member', name: 'rex' } }]);
  const body = {
    events: [{ kind: 'objective_open', ts: now, objectiveId: 'obj_0123456789' }] as ActivityEvent[],
  };
  await team.as('rex').call('uploadActivity', { params: { name: 'rex' }, body });
  expect(await stuck()).toEqual([]);
  stream.close();
});

it('has the results that were completed last, however many newer objectives are done', async () => {
  const made = async (title: string) => {
    const body = { title, outcome: 'It is drawn', body: '', assignee: 'cy', watchers: [] };
    return (await team.as('ben').call('createObjective', { body })).id;
  };
  const complete = (id: string, result: string) =>
    team.as('cy').call('completeObjective', { params: { id }, body: { result } });
  const results = async () => (await inbox('ben')).filter(({ kind }) => kind === 'result');
  const oldest = await made('Chart the whole sea');
  for (let at = 0; at < 101; at++) await complete(await made(`Chart bay ${at}`), 'Done');
  now += 1000;
  await complete(oldest, 'All of it');
  const own = { title: 'Chart my bay', outcome: 'It is drawn', body: '', assignee: 'ben', watchers: [] };
  const { id } = await team.as('ben').call('createObjective', { body: own });
  await team.as('ben').call('completeObjective', { params: { id }, body: { result: 'Mine' } });
  expect(await results()).toHaveLength(102);
  expect((await results())[0]).toMatchObject({ title: 'Done: Chart the whole sea', detail: 'cy: All of it' });
  now += 14 * 24 * 3_600_000;
  expect(await results()).toEqual([]);
});

it('says that further conversations are unread beyond those that are counted', async () => {
  const ask = (at: number) =>
    team.as('ben').call('createObjective', {
      body: { title: `Sound bay ${at}`, outcome: 'It is known', body: '', assignee: 'rex', watchers: [] },
    });
  const further = async () => (await inbox('rex')).filter(({ key }) => key === 'more unread');
  for (let at = 0; at < 1000; at += 100)
    await Promise.all(Array.from({ length: 100 }, (_, place) => ask(at + place)));
  expect(await further()).toEqual([]);
  await ask(1000);
  expect(await further()).toMatchObject([{ title: 'Further unread conversations are not listed here' }]);
});
