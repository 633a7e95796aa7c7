import { afterEach, beforeEach, expect, it } from 'vitest';
import { startTestBroker, type TestBroker } from '../../testing/test-broker.ts';
import { openTestStream } from '../../testing/test-stream.ts';
import { runRetention, setRetention } from './testing/run-retention.ts';

const dayMs = 86_400_000;
let now: number;
let team: TestBroker;
beforeEach(async () => {
  now = Date.UTC(2026, 0, 1, 9);
  team = await startTestBroker({ onDisk: true, clock: () => now });
});
afterEach(() => team.stop());

const say = (body: string) => team.as('ada').call('push', { body: { body } });
const received = (count: number) => (frames: { event?: string | undefined }[]) =>
  frames.filter(({ event }) => event === 'message').length >= count;

/** Returns the cursor after everything that ben was sent. */
async function cursorNow(): Promise<string> {
  const stream = await team.stream('ben');
  const cursor = stream.cursor();
  stream.close();
  await stream.ended;
  return cursor;
}

it('a cursor before a removed message leads to reset, also after a restart, and a later one is honored', async () => {
  await say('before');
  const early = await cursorNow();
  await say('removed');
  const late = await cursorNow();
  now += 10 * dayMs;
  await say('kept');
  await setRetention(team, { messages: { days: 5 } });
  expect(await runRetention(team)).toMatchObject({ messages: 2 });
  for (const restart of [async () => undefined, team.restart]) {
    await restart();
    const reset = await team.stream('ben', early);
    expect(reset.frames[0]?.event).toBe('reset');
    expect(reset.messages()).toEqual([]);
    const resumed = await team.stream('ben', late);
    expect(resumed.frames[0]?.event).toBe('ready');
    await resumed.until(received(1));
    expect(resumed.messages().map(({ body }) => body)).toEqual(['kept']);
    // The cursor of the reset is a place to go on from.
    expect((await team.stream('ben', reset.cursor())).frames[0]?.event).toBe('ready');
  }
});

it('a stream that still reads its backlog when a part of it is removed ends with bye, and skips nothing silently', async () => {
  const early = await cursorNow();
  // More than the sockets of both sides hold.
  const count = 360;
  for (let n = 0; n < count; n++) await say(`${n} ${'x'.repeat(65_000)}`);
  const stream = await openTestStream(`${team.url}/subscribe?name=ben`, team.token('ben'), early);
  stream.pause();
  now += 10 * dayMs;
  await say('kept');
  await setRetention(team, { messages: { days: 5 } });
  expect(await runRetention(team)).toMatchObject({ messages: count });
  stream.resume();
  await stream.until((frames) => frames.some(({ event }) => event === 'bye'));
  const carried = stream.messages().map(({ body }) => Number.parseInt(body, 10));
  expect(carried.length).toBeLessThan(count);
  expect(carried).toEqual(carried.map((_, n) => n));
  expect((await team.stream('ben', stream.cursor())).frames[0]?.event).toBe('reset');
  stream.close();
});

it('a cursor of an activity stream before a removed row leads to reset, whatever a hold keeps before it', async () => {
  const upload = async (name: string, objectiveId: string) => {
    const reply = await team.fetch(name, `/members/${name}/activity`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ events: [{ kind: 'objective_open', ts: now, objectiveId }] }),
    });
    expect(reply.status).toBe(200);
  };
  await upload('cy', 'obj_0000000001');
  await upload('ben', 'obj_0000000002');
  now += 10 * dayMs;
  await upload('ben', 'obj_0000000003');
  await setRetention(team, { hold: { on: 'member:cy', reason: 'x' }, activity: { days: 5 } });
  expect(await runRetention(team)).toMatchObject({ activity: 1 });
  const url = `${team.url}/members/ben/activity/stream`;
  const opening = async (cursor: string) => {
    const stream = await openTestStream(url, team.token('ben'), cursor);
    stream.close();
    return stream.frames[0]?.event;
  };
  expect([await opening('1'), await opening('2'), await opening('3')]).toEqual(['reset', 'ready', 'ready']);
});
