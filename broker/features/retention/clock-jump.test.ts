import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ActivityEvent } from '#protocol/activity.ts';
import { startTestBroker, type TestBroker } from '../../testing/test-broker.ts';
import { runRetention, setRetention } from './testing/run-retention.ts';

const dayMs = 86_400_000;
const yearMs = 365 * dayMs;
let now: number;
let steady: number;
let team: TestBroker;
beforeEach(async () => {
  [now, steady] = [Date.UTC(2026, 0, 1, 9), 0];
  team = await startTestBroker({
    onDisk: true,
    members: { ada: ['admin'], ben: [] },
    clock: () => now,
    steadyClock: () => steady,
  });
  await setRetention(team, { messages: { days: 30 } });
});
afterEach(() => team.stop());

const say = async (body: string) => (await team.as('ben').call('push', { body: { body } })).message.ts;
const troubleOf = async (name: string) => (await team.as(name).call('attention', {})).clock;

it('a clock that jumps a year ahead removes nothing, stamps nothing for a minute, and managers are told until it returns', async () => {
  await say('kept');
  now += yearMs;
  expect(await say('in the jump')).toBe(now - yearMs);
  await expect(team.as('ada').call('runRetention', {})).rejects.toMatchObject({ reason: 'clock_jumped' });
  expect(await troubleOf('ada')).toEqual({ messagesAheadMs: 0, jumpedMs: yearMs });
  expect((await team.as('ada').call('diagnostics', {})).clock).toMatchObject({ jumpedMs: yearMs });
  expect(await troubleOf('ben')).toBeUndefined();
  now -= yearMs;
  expect(await runRetention(team)).toMatchObject({ messages: 0 });
  expect(await say('after the jump')).toBe(now);
  expect(await troubleOf('ada')).toBeUndefined();
});

it('messages that were stamped in the future keep their order, also across a restart, and managers are told', async () => {
  now += yearMs;
  await say('first');
  steady += 60_000;
  const future = await say('second');
  expect(future).toBe(now);
  now -= yearMs;
  expect(await say('third')).toBeGreaterThanOrEqual(future);
  await team.restart();
  expect(await troubleOf('ada')).toEqual({ messagesAheadMs: expect.any(Number), jumpedMs: 0 });
  expect(await say('fourth')).toBeGreaterThanOrEqual(future);
  const { messages } = await team.as('ada').call('history', {});
  expect(messages.map(({ body }) => body)).toEqual(['fourth', 'third', 'second', 'first']);
});

it('a restart during a jump puts the removal off for a day, also if messages were stamped in the jump', async () => {
  for (let n = 0; n < 5; n++) await say(`kept ${n}`);
  now += yearMs;
  await say('first');
  steady += 60_000;
  now += 60_000;
  expect(await say('second')).toBe(now);
  await team.restart();
  expect(team.logged()).toContain('no message is from the week before the last day');
});

/** Body, and how the message says when it was accepted. */
const dated = async () => {
  const { messages } = await team.as('ada').call('history', {});
  return messages.map(({ body, ts, acceptedAt }) => [body, acceptedAt === undefined ? ts : acceptedAt]);
};

it('when the clock returns, messages of the jump and later ones say when they were accepted', async () => {
  const start = now;
  await say('before');
  now += yearMs;
  await say('held back');
  [steady, now] = [steady + 120_000, now + 120_000];
  await say('in the jump');
  [steady, now] = [steady + 60_000, now + 60_000 - yearMs];
  const { message } = await team.as('ben').call('push', { body: { body: 'after' } });
  expect(message).toMatchObject({ ts: start + 120_000 + yearMs, acceptedAt: start + 180_000 });
  await expect.poll(dated).toEqual([
    ['after', start + 180_000],
    ['in the jump', start + 120_000],
    ['held back', start],
    ['before', start],
  ]);
  now += 3_600_001;
  const edit = team.as('ben').call('editMessage', { params: { id: message.id }, body: { body: 'changed' } });
  await expect(edit).rejects.toMatchObject({ reason: 'too_late_to_change' });
});

it('a clock that returns after a restart in the jump corrects the messages, too', async () => {
  await say('before');
  now += yearMs;
  await say('held back');
  steady += 60_000;
  await say('in the jump');
  const right = now - yearMs;
  await team.restart();
  now -= yearMs;
  await say('after');
  await expect.poll(dated).toContainEqual(['in the jump', right]);
});

it('activity that was stored in a jump does not keep what is older than the rule', async () => {
  await setRetention(team, { activity: { days: 30 } });
  const upload = () => {
    const event = { kind: 'objective_open', ts: now, objectiveId: 'obj_0123456789' } as ActivityEvent;
    return team.as('ben').call('uploadActivity', { params: { name: 'ben' }, body: { events: [event] } });
  };
  await upload();
  now += yearMs;
  await upload();
  now -= yearMs;
  await upload();
  [steady, now] = [steady + 40 * dayMs, now + 40 * dayMs];
  expect(await runRetention(team)).toMatchObject({ activity: 2 });
});
