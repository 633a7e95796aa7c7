import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ChannelId, ObjectiveId } from '#protocol/ids.ts';
import { continueChain } from '../../security/audit-chain.ts';
import { changeStore, storeRows } from '../../testing/store-rows.ts';
import { startTestBroker, type TestBroker } from '../../testing/test-broker.ts';
import { runRetention, setRetention } from './testing/run-retention.ts';

const dayMs = 86_400_000;
let now = Date.UTC(2026, 0, 1, 9);
let team: TestBroker;
beforeEach(async () => {
  now = Date.UTC(2026, 0, 1, 9);
  team = await startTestBroker({
    onDisk: true,
    members: { ada: ['admin'], ben: ['objectives.create'], cy: [], dan: [] },
    clock: () => now,
    config: { files: { root: 'files' } },
  });
});
afterEach(() => team.stop());

const later = (days: number): void => {
  now += days * dayMs;
};
const say = async (by: string, body: string, where: object = {}) =>
  (await team.as(by).call('push', { body: { body, ...where } })).message;
const bodies = async (by: string, query: object = {}): Promise<string[]> =>
  (await team.as(by).call('history', { query })).messages.map(({ body }) => body);
const removals = async () =>
  (await team.as('ada').call('audit', { query: { kind: 'retention_removed' } })).records;
const channelOf = async (slug: string, members: string[] = []) => {
  const { id } = await team.as('ada').call('createChannel', { body: { slug } });
  for (const member of members)
    await team.as('ada').call('joinChannel', { params: { slug }, body: { member } });
  return { id: id as ChannelId, thread: `chan:${id}` };
};
const patch = async (by: string, body: unknown) => {
  const reply = await team.fetch(by, '/retention', {
    method: 'PATCH',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: reply.status, body: (await reply.json()) as { reason?: string } };
};

describe('the policy', () => {
  it('is off by default, and a run then removes nothing', async () => {
    expect(await team.as('ada').call('retention', {})).toEqual({ channels: {}, holds: [], run: null });
    await say('ben', 'old');
    later(4000);
    await say('ben', 'new');
    expect(await runRetention(team)).toMatchObject({ messages: 0, activity: 0, audit: 0 });
    expect(await bodies('cy')).toEqual(['new', 'old']);
  });

  it('changes rule by rule, survives a restart, and each change is in the audit log', async () => {
    const { id } = await channelOf('ops');
    await setRetention(team, { messages: { days: 90 }, channels: { [id]: { days: 7 } } });
    await setRetention(team, { activity: { maxBytes: 2 ** 30 } });
    await setRetention(team, { messages: null });
    await team.restart();
    // The housekeeping may have begun a run.
    const { run: _, ...policy } = await team.as('ada').call('retention', {});
    expect(policy).toEqual({
      activity: { maxBytes: 2 ** 30 },
      channels: { [id]: { days: 7 } },
      holds: [],
    });
    const { records } = await team.as('ada').call('audit', { query: { kind: 'retention_changed' } });
    expect(records.map(({ member, before, after }) => ({ member, before, after }))).toEqual([
      { member: 'ada', before: { 'messages.days': 90 }, after: { 'messages.days': null } },
      { member: 'ada', before: { 'activity.maxBytes': null }, after: { 'activity.maxBytes': 2 ** 30 } },
      {
        member: 'ada',
        before: { 'messages.days': null, [`channels.${id}.days`]: null },
        after: { 'messages.days': 90, [`channels.${id}.days`]: 7 },
      },
    ]);
  });

  it.each([
    { messages: { days: 0 } },
    { messages: { maxBytes: 1000 } },
    { audit: { days: 29 } },
    { audit: { maxRecords: 9999 } },
    { channels: { nowhere: { days: 1 } } },
    { hold: { on: 'ben', reason: 'x' } },
    { hold: { on: 'general', reason: '' } },
  ])('refuses %j', async (body) => {
    expect((await patch('ada', body)).status).toBe(400);
  });

  it('refuses a hold on what does not exist, and the release of a hold that is not there', async () => {
    for (const on of ['member:eve', 'chan:ch_0000000000', 'obj:obj_0000000000', 'dm:ben:eve'])
      expect((await patch('ada', { hold: { on, reason: 'x' } })).body.reason).toBe('unknown_hold_target');
    expect((await patch('ada', { release: crypto.randomUUID() })).body.reason).toBe('unknown_hold');
  });

  it('is for holders of members.manage only', async () => {
    expect((await patch('ben', { messages: { days: 1 } })).status).toBe(403);
    expect((await team.fetch('ben', '/retention')).status).toBe(403);
    expect((await team.fetch('ben', '/retention/run', { method: 'POST' })).status).toBe(403);
  });
});

describe('a removed message', () => {
  it('is in no history, search, count, receipt, or index anymore, and its removal is in the audit log', async () => {
    const direct = await say('ben', 'the secret plan @cy', { to: 'cy' });
    const post = await say('ben', 'the secret plan @cy');
    await team.as('cy').call('search', { query: { q: 'secret' } });
    await team
      .as('cy')
      .call('reportEvidence', { params: { id: direct.id }, body: { state: 'accepted', at: now } });
    later(3);
    const reply = await say('cy', 'what plan', { inReplyTo: post.id });
    await setRetention(team, { messages: { days: 2 } });
    expect(await runRetention(team)).toMatchObject({ messages: 2 });
    expect(await bodies('ben')).toEqual(['what plan']);
    expect(await bodies('ben', { with: 'cy' })).toEqual([]);
    expect((await team.as('cy').call('search', { query: { q: 'secret' } })).results).toEqual([]);
    expect((await team.as('cy').call('waiting', {})).messages).toEqual([]);
    const { scopes, newestId } = await team.as('cy').call('unread', {});
    expect(scopes).toEqual([{ scope: 'general', count: 0, mentions: 0, lastReadId: null }]);
    expect(newestId).toBe(reply.id);
    expect((await team.fetch('ada', `/messages/${direct.id}/receipts`)).status).toBe(404);
    // The id stays, as for every reader who cannot read the answered message.
    expect((await team.as('ben').call('history', { query: {} })).messages[0]?.inReplyTo).toBe(post.id);
    const main = join(team.folder, 'main.db');
    for (const table of ['addressed', 'mention', 'evidence', 'conversation'])
      expect(storeRows(main, `SELECT * FROM ${table}`), table).toEqual([]);
    const [record] = await removals();
    expect(record).toMatchObject({ via: 'host', member: null, subject: 'messages.days', before: null });
    expect(Object.keys(record?.after ?? {})).toEqual(['count', 'bytes', 'oldestAt', 'newestAt', 'upTo']);
    expect(record?.after?.oldestAt).toBe(now - 3 * dayMs);
    expect(JSON.stringify(await removals())).not.toContain('secret');
  });

  it('leaves the access to its attachment', async () => {
    await team.fetch('ben', '/fs/write?path=/ben/a.txt&collide=error', { method: 'POST', body: 'data' });
    await say('ben', 'see this', { to: 'cy', attachments: ['/ben/a.txt'] });
    later(3);
    await say('ben', 'new');
    await setRetention(team, { messages: { days: 1 } });
    await runRetention(team);
    expect(await bodies('cy', { with: 'ben' })).toEqual([]);
    expect(await (await team.fetch('cy', '/fs/read/ben/a.txt')).text()).toBe('data');
  });

  it('was not the newest one of the store, because the next one gets the position after it', async () => {
    await say('ben', 'old');
    const last = await say('ben', 'last');
    later(30);
    await setRetention(team, { messages: { days: 1 } });
    expect(await runRetention(team)).toMatchObject({ messages: 1 });
    await team.restart();
    expect((await team.as('cy').call('history', { query: {} })).messages).toEqual([last]);
    const next = await say('ben', 'next');
    expect(next.id > last.id).toBe(true);
    await runRetention(team);
    expect(await bodies('cy')).toEqual(['next']);
  });
});

describe('a rule', () => {
  it('of a channel goes before the general one, in both directions', async () => {
    const short = await channelOf('short');
    const long = await channelOf('long');
    const forever = await channelOf('forever');
    for (const { thread } of [short, long, forever]) await say('ada', `in ${thread}`, { data: { thread } });
    await say('ada', 'in general');
    later(10);
    await say('ada', 'new');
    const channels = { [short.id]: { days: 5 }, [long.id]: { days: 100 }, [forever.id]: { days: null } };
    await setRetention(team, { messages: { days: 20 }, channels });
    expect(await runRetention(team)).toMatchObject({ messages: 1 });
    expect(await bodies('ada', { channel: short.id })).toEqual([]);
    later(20);
    await runRetention(team);
    expect(await bodies('ada')).toEqual(['new']);
    expect(await bodies('ada', { channel: long.id })).toHaveLength(1);
    later(3000);
    await runRetention(team);
    expect(await bodies('ada', { channel: long.id })).toEqual([]);
    expect(await bodies('ada', { channel: forever.id })).toHaveLength(1);
    expect([...new Set((await removals()).map(({ subject }) => subject))]).toEqual([
      `channels.${long.id}.days`,
      'messages.days',
      `channels.${short.id}.days`,
    ]);
  });

  it('by size removes the oldest messages, and counts the bytes of their text', async () => {
    const text = 'é'.repeat(30_000);
    for (let n = 0; n < 20; n++) await say('ben', `${n} ${text}`, n % 2 === 0 ? { to: 'cy' } : {});
    await setRetention(team, { messages: { maxBytes: 2 ** 20 } });
    // 60,000 bytes each: 17 of them fit into 1 MiB.
    expect(await runRetention(team)).toMatchObject({ messages: 3 });
    const left = [...(await bodies('cy')), ...(await bodies('cy', { with: 'ben' }))];
    expect(left.map((body) => Number.parseInt(body, 10)).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 17 }, (_, n) => n + 3),
    );
    for (let n = 20; n < 22; n++) await say('ben', `${n} ${text}`);
    expect(await runRetention(team)).toMatchObject({ messages: 5 });
  });

  it('by size counts what a run that was cut off has already removed of the activity', async () => {
    const text = 'word '.repeat(1600);
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
          system: null,
          messages: [{ role: 'user', content: [{ type: 'text', text: `${n} ${text}` }] }],
          tools: null,
          maxTokens: null,
          temperature: null,
        },
        response: null,
      },
    });
    for (let n = 0; n < 200; n += 20)
      await team.as('ben').call('uploadActivity', {
        params: { name: 'ben' },
        body: { events: Array.from({ length: 20 }, (_, m) => exchange(n + m)) } as never,
      });
    // A run deletes rows first, and then what they shared, which is most of their size.
    const file = join(team.folder, 'activity.db');
    changeStore(file, 'DELETE FROM activity WHERE id IN (SELECT id FROM activity ORDER BY id LIMIT 150)');
    await setRetention(team, { activity: { maxBytes: 2 ** 20 } });
    expect(await runRetention(team)).toMatchObject({ activity: 0 });
    expect(storeRows(file, 'SELECT count(*) AS rows FROM activity')).toEqual([{ rows: 50 }]);
  });

  it('for the audit log moves the beginning of its chain, which holds from there', async () => {
    for (const name of ['one', 'two', 'three']) await team.as('ada').call('updateTeam', { body: { name } });
    const early = (await team.as('ada').call('audit', { query: {} })).head;
    later(31);
    await team.as('ada').call('updateTeam', { body: { name: 'four' } });
    await setRetention(team, { audit: { days: 30 } });
    expect(await runRetention(team)).toMatchObject({ audit: early.seq });
    const { first, head } = await team.as('ada').call('audit', { query: {} });
    expect(first).toEqual(early);
    const { records } = await team.as('ada').call('audit', { query: { after: '0', limit: '500' } });
    expect(records.map(({ kind }) => kind)).toEqual([
      'team_changed',
      'retention_changed',
      'retention_removed',
    ]);
    expect(records.at(-1)).toMatchObject({
      subject: 'audit.days',
      after: { count: early.seq, upTo: early.seq, hash: first.hash },
    });
    expect(continueChain(first, records)).toEqual(head);
    // A day has to pass until there is something to remove again.
    expect(await runRetention(team)).toMatchObject({ audit: early.seq });
  });

  it('waits until an objective is done or canceled', async () => {
    const body = { title: 'x', outcome: 'y', assignee: 'ben' };
    const { id } = await team.as('ben').call('createObjective', { body });
    await team.as('ben').call('discussObjective', { params: { id }, body: { body: 'how' } });
    later(100);
    await say('ben', 'new');
    await setRetention(team, { messages: { days: 1, maxBytes: 2 ** 20 } });
    expect(await runRetention(team)).toMatchObject({ messages: 0 });
    await team.as('ben').call('cancelObjective', { params: { id }, body: {} });
    later(3);
    await say('ben', 'newer');
    await runRetention(team);
    expect(await bodies('ben', { objective: id })).toEqual([]);
    const { events } = await team.as('ben').call('objective', { params: { id: id as ObjectiveId } });
    expect(events.map(({ kind }) => kind)).toEqual(['assigned', 'cancelled']);
  });
});

describe('a hold', () => {
  const hold = async (on: string) => {
    const { holds } = await setRetention(team, { hold: { on, reason: 'case 7' } });
    return holds.at(-1)?.id ?? '';
  };

  it('is in the audit log when it is set and when it is released', async () => {
    const id = await hold('member:ben');
    await setRetention(team, { release: id });
    const { records } = await team.as('ada').call('audit', { query: { kind: 'retention_changed' } });
    const line = { [`holds.${id}`]: 'member:ben: case 7 (ada)' };
    const none = { [`holds.${id}`]: null };
    expect(records.map(({ before, after }) => [before, after])).toEqual([
      [line, none],
      [none, line],
    ]);
  });

  it('on a conversation keeps it until it is released', async () => {
    await say('ben', 'held', { to: 'cy' });
    await say('ben', 'not held');
    later(10);
    await say('ben', 'new');
    const id = await hold('dm:cy:ben');
    await setRetention(team, { messages: { days: 1 } });
    expect(await runRetention(team)).toMatchObject({ messages: 1 });
    expect(await bodies('cy', { with: 'ben' })).toEqual(['held']);
    await setRetention(team, { release: id });
    expect(await runRetention(team)).toMatchObject({ messages: 2 });
    expect(await bodies('cy', { with: 'ben' })).toEqual([]);
  });

  it('on a member keeps what it sent and what was for it, also after it left the channel and the team', async () => {
    const ops = await channelOf('ops', ['ben', 'cy']);
    const post = (by: string, body: string) => say(by, body, { data: { thread: ops.thread } });
    await post('cy', 'to ben in ops');
    await team.as('ben').call('leaveChannel', { params: { slug: 'ops', name: 'ben' } });
    await post('cy', 'without ben');
    await say('cy', 'to everybody');
    await say('cy', 'to dan', { to: 'dan' });
    await say('ben', 'to dan', { to: 'dan' });
    await hold('member:ben');
    await setRetention(team, { messages: { days: 1 } });
    later(10);
    await say('ada', 'new');
    expect(await runRetention(team)).toMatchObject({ messages: 2 });
    expect(await bodies('cy', { channel: ops.id })).toEqual(['to ben in ops']);
    expect(await bodies('dan', { with: 'cy' })).toEqual([]);
    expect(await bodies('dan', { with: 'ben' })).toEqual(['to dan']);
    await team.as('ada').call('deleteMember', { params: { name: 'ben' } });
    later(10);
    await say('ada', 'newer');
    await runRetention(team);
    expect(await bodies('cy', { channel: ops.id })).toEqual(['to ben in ops']);
    expect(await bodies('cy')).toEqual(['newer', 'new', 'to everybody']);
  });

  it('keeps the activity of a held member, and the audit log', async () => {
    const event = (objectiveId: string) => ({ kind: 'objective_open', ts: now, objectiveId });
    for (const name of ['ben', 'cy'])
      await team.as(name).call('uploadActivity', {
        params: { name },
        body: { events: [event('obj_0000000001')] } as never,
      });
    await hold('member:ben');
    await setRetention(team, { activity: { days: 1 }, audit: { days: 30 } });
    later(100);
    const before = await team.as('ada').call('audit', { query: {} });
    expect(await runRetention(team)).toMatchObject({ activity: 1, audit: 0 });
    const rows = async (name: string) => {
      const reply = await team.fetch(name, `/members/${name}/activity`);
      return ((await reply.json()) as { activity: unknown[] }).activity.length;
    };
    expect([await rows('ben'), await rows('cy')]).toEqual([1, 0]);
    expect(await removals()).toMatchObject([{ subject: 'activity.days', after: { count: 1 } }]);
    expect((await team.as('ada').call('audit', { query: {} })).first).toEqual(before.first);
  });
});

it('removes nothing while a hold that was written by hand is on nothing', async () => {
  const held = (on: string) => ({ id: crypto.randomUUID(), on, reason: 'x', by: 'ada', at: 0 });
  const own = await startTestBroker({
    members: { ada: ['admin'], ben: [] },
    clock: () => now,
    config: { retention: { messages: { days: 1 }, holds: [held('member:ben'), held('dm:ada:Ben')] } },
  });
  try {
    await own.as('ben').call('push', { body: { body: 'old' } });
    later(5);
    await own.as('ada').call('push', { body: { body: 'new' } });
    const reply = await own.fetch('ada', '/retention/run', { method: 'POST' });
    expect(reply.status).toBe(409);
    expect(await reply.json()).toMatchObject({ reason: 'hold_on_nothing' });
    const { messages } = await own.as('ada').call('history', { query: {} });
    expect(messages.map(({ body }) => body)).toEqual(['new', 'old']);
  } finally {
    await own.stop();
  }
});
