/**
 * Random messages, members that join and leave, rules, and holds, against a model that says what a run may remove. The model reads what is
 * stored before each run, and keeps for itself who was in the channel when a message was posted.
 */
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { type ChannelId, generalChannelId } from '#protocol/ids.ts';
import type { RetentionPatch, RetentionState } from '#protocol/retention.ts';
import { createSeededRandom, type SeededRandom } from '../../../test/crash/seeded-random.ts';
import { storeRows } from '../../testing/store-rows.ts';
import { startTestBroker, type TestBroker } from '../../testing/test-broker.ts';
import { runRetention, setRetention } from './testing/run-retention.ts';

const dayMs = 86_400_000;
const names = ['ada', 'ben', 'cy', 'dan'];

interface Row {
  seq: number;
  id: string;
  ts: number;
  sender: string;
  recipient: string | null;
  scope: string;
  title: string | null;
  body: string;
  data: string;
  attachments: string;
  addressed: string | null;
}

interface World {
  team: TestBroker;
  random: SeededRandom;
  channel: { id: ChannelId; members: Set<string> };
  /** The members who were in the channel, by the id of a post in it. */
  present: Map<string, Set<string>>;
  /** The open objective. */
  objective: string;
}

const stored = ({ team }: World): Row[] =>
  storeRows(
    join(team.folder, 'main.db'),
    `SELECT seq, id, ts, sender, recipient, scope, title, body, data, attachments,
       (SELECT group_concat(member) FROM addressed WHERE addressed.seq = message.seq) AS addressed
     FROM message ORDER BY seq`,
  );

const bytesOf = ({ title, body, data, attachments }: Row): number =>
  [title ?? '', body, data, attachments].reduce((sum, text) => sum + Buffer.byteLength(text), 256);

function isHeld(row: Row, { holds }: RetentionState, { present }: World): boolean {
  const { scope, sender, id, addressed } = row;
  return holds.some(({ on }) => {
    if (on === scope) return true;
    const member = on.split('member:')[1];
    if (member === undefined) return false;
    if (sender === member || scope === 'general') return true;
    if (scope.startsWith('chan:')) return present.get(id)?.has(member) ?? false;
    return (addressed ?? '').split(',').includes(member);
  });
}

/** Returns the ids that remain after a run. */
function expected(world: World, policy: RetentionState, now: number): string[] {
  const rows = stored(world);
  const newest = rows.at(-1)?.id;
  const own = (scope: string) => policy.channels[(scope === 'general' ? scope : scope.slice(5)) as ChannelId];
  const isKept = (row: Row): boolean =>
    row.id === newest || row.scope === `obj:${world.objective}` || isHeld(row, policy, world);
  const startOfDay = Math.floor(now / dayMs) * dayMs;
  const left = rows.filter((row) => {
    const rule = row.scope.startsWith('chan:') || row.scope === 'general' ? own(row.scope) : undefined;
    const days = rule === undefined ? policy.messages?.days : rule.days;
    return isKept(row) || days == null || row.ts >= startOfDay - days * dayMs;
  });
  let size = left.reduce((sum, row) => sum + bytesOf(row), 0);
  const max = policy.messages?.maxBytes ?? Number.POSITIVE_INFINITY;
  return left
    .filter((row) => {
      const hasOwn =
        (row.scope.startsWith('chan:') || row.scope === 'general') && own(row.scope) !== undefined;
      if (size <= max || hasOwn || isKept(row)) return true;
      size -= bytesOf(row);
      return false;
    })
    .map(({ id }) => id);
}

async function post(world: World): Promise<void> {
  const { team, random, channel, objective, present } = world;
  const by = random.pick(names);
  // Each body has a word of its own, a mention now and then, and sometimes much text.
  const body = `word ${random.chance(0.3) ? `@${random.pick(names)} ` : ''}${'x '.repeat(random.chance(0.35) ? 30_000 : 10)}`;
  const where = random.below(5);
  if (where === 0) await team.as(by).call('push', { body: { body } });
  else if (where === 1) await team.as(by).call('push', { body: { body, to: random.pick(names) } });
  else if (where <= 3) {
    const poster = random.pick([...channel.members]);
    const data = { thread: `chan:${channel.id}` };
    const { message } = await team.as(poster).call('push', { body: { body, data } });
    present.set(message.id, new Set(channel.members));
  } else
    await team
      .as(random.pick(['ada', 'ben']))
      .call('discussObjective', { params: { id: objective }, body: { body: body.slice(0, 16_000) } });
}

async function joinOrLeave({ team, random, channel }: World): Promise<void> {
  const member = random.pick(['ben', 'cy', 'dan']);
  if (channel.members.delete(member))
    await team.as('ada').call('leaveChannel', { params: { slug: 'ops', name: member } });
  else {
    channel.members.add(member);
    await team.as('ada').call('joinChannel', { params: { slug: 'ops' }, body: { member } });
  }
}

function randomRules({ random, channel }: World): RetentionPatch {
  const days = () => random.below(12) + 1;
  const own = () => random.pick([null, { days: null }, { days: days() }]);
  return {
    messages: {
      ...(random.chance(0.5) && { days: days() }),
      ...(random.chance(0.6) && { maxBytes: 2 ** 20 + random.below(2 ** 19) }),
    },
    channels: { [generalChannelId]: own(), [channel.id]: own() },
  };
}

async function changeHolds({ team, random, channel, objective }: World): Promise<void> {
  const { holds } = await team.as('ada').call('retention', {});
  if (holds.length > 0 && random.chance(0.5)) {
    await setRetention(team, { release: random.pick(holds).id });
    return;
  }
  const on = random.pick([
    'general',
    `chan:${channel.id}`,
    'dm:ada:ben',
    'dm:cy:dan',
    `obj:${objective}`,
    'member:cy',
    'member:dan',
    'member:dan',
  ]);
  await setRetention(team, { hold: { on, reason: 'model' } });
}

async function newObjective(team: TestBroker): Promise<string> {
  return (
    await team.as('ada').call('createObjective', { body: { title: 't', outcome: 'o', assignee: 'ben' } })
  ).id;
}

/** Checks that the members see what remains, and nothing else. */
async function checkViews(world: World): Promise<void> {
  const { team, channel, objective } = world;
  const rows = stored(world);
  const idsIn = (scope: string) => rows.filter((row) => row.scope === scope).map(({ id }) => id);
  const left = new Set(rows.map(({ id }) => id));
  const history = async (name: string, query: object) =>
    (await team.as(name).call('history', { query: { limit: '500', ...query } })).messages
      .map(({ id }) => id as string)
      .reverse();
  expect(await history('dan', {})).toEqual(idsIn('general'));
  expect(await history('ada', { channel: channel.id })).toEqual(idsIn(`chan:${channel.id}`));
  expect(await history('ada', { objective })).toEqual(idsIn(`obj:${objective}`));
  expect(await history('cy', { with: 'dan' })).toEqual(idsIn('dm:cy:dan'));
  for (const name of names) {
    const { scopes, newestId } = await team.as(name).call('unread', {});
    if (newestId !== null) expect(left.has(newestId)).toBe(true);
    const general = rows.filter(({ scope, sender }) => scope === 'general' && sender !== name);
    const mentions = general.filter(({ body }) => body.includes(`@${name} `));
    expect(scopes.find(({ scope }) => scope === 'general')).toMatchObject({
      count: general.length,
      mentions: mentions.length,
    });
    const direct = scopes.filter(({ scope }) => scope.startsWith('dm:')).map(({ scope }) => scope);
    const sides = new Set(
      rows
        .filter(({ sender, recipient }) => recipient !== null && [sender, recipient].includes(name))
        .map(({ sender, recipient }) => `dm:${sender === name ? recipient : sender}`),
    );
    expect(direct.sort()).toEqual([...sides].sort());
    const { messages } = await team.as(name).call('waiting', {});
    for (const { id } of messages) expect(left.has(id)).toBe(true);
    const { results } = await team.as(name).call('search', { query: { q: 'word', limit: '50' } });
    for (const { id } of results) expect(left.has(id)).toBe(true);
  }
}

it.each([1, 2, 3])(
  'removes what the model says, and nothing else (seed %i)',
  async (seed) => {
    const random = createSeededRandom(seed);
    let now = Date.UTC(2026, 0, 1);
    const team = await startTestBroker({
      onDisk: true,
      members: { ada: ['admin', 'operator'], ben: [], cy: [], dan: [] },
      clock: () => now,
    });
    onTestFinished(() => team.stop());
    const { id } = await team.as('ada').call('createChannel', { body: { slug: 'ops' } });
    const world: World = {
      team,
      random,
      channel: { id: id as ChannelId, members: new Set(['ada']) },
      present: new Map(),
      objective: await newObjective(team),
    };
    let removed = 0;
    for (let round = 0; round < 8; round++) {
      for (let n = 0; n < 25; n++) {
        if (random.chance(0.15)) await joinOrLeave(world);
        else await post(world);
        now += random.below(dayMs / 2);
      }
      if (random.chance(0.3)) {
        await team.as('ada').call('cancelObjective', { params: { id: world.objective }, body: {} });
        world.objective = await newObjective(team);
      }
      await changeHolds(world);
      const policy = await setRetention(team, randomRules(world));
      const remaining = expected(world, policy, now);
      ({ messages: removed } = await runRetention(team));
      expect(stored(world).map((row) => row.id)).toEqual(remaining);
      await checkViews(world);
    }
    expect(removed).toBeGreaterThan(0);
  },
  120_000,
);
