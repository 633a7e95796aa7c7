import { expect, it, onTestFinished } from 'vitest';
import { limits } from '#protocol/limits.ts';
import { createPushQueue, type SentPush } from './push-queue.ts';

const taken: SentPush = { status: 201, retryAfter: undefined, refused: false, fate: 'delivered' };
const later: SentPush = { status: 503, retryAfter: '3600', refused: false, fate: 'retry' };

const memberOf = (id: string) => id.split('/')[0] ?? null;
const subscriptions = (member: string) =>
  Array.from({ length: limits.pushSubscriptions }, (_, n) => `${member}/${n}`);

/** A queue whose subscriptions are named member/subscription, and what became of the payloads. */
function open(reply: (member: string) => SentPush | Promise<SentPush>) {
  const begun: { member: string; id: string; payload: string }[] = [];
  const dropped: string[] = [];
  const queue = createPushQueue({
    clock: Date.now,
    memberOf,
    async send(id, payload) {
      const member = memberOf(id) ?? '';
      begun.push({ member, id, payload });
      return reply(member);
    },
    onGone: async () => undefined,
    onDropped: (id) => void dropped.push(memberOf(id) ?? ''),
  });
  return {
    queue,
    begun,
    dropped,
    begunOf: (member: string) => begun.filter((one) => one.member === member).map(({ payload }) => payload),
    /** Adds so many, numbered from `first`, to each subscription of the member. */
    fill(member: string, each: number, first = 0) {
      for (let n = first; n < first + each; n++)
        for (const id of subscriptions(member)) queue.add(id, `${n}`);
    },
  };
}

/** Replies that come when the test says so. */
function heldReplies() {
  let release: (reply: SentPush) => void = () => undefined;
  const held = new Promise<SentPush>((resolve) => {
    release = resolve;
  });
  onTestFinished(() => release(taken));
  return { held, release: () => release(taken) };
}

const hostile = Array.from({ length: 12 }, (_, n) => `hostile${n}`);

it('drops nothing of a member because the push services of others never take anything', async () => {
  const { queue, fill, begunOf, dropped } = open((member) => (member === 'victim' ? taken : later));
  for (const member of hostile) fill(member, 50);
  expect(queue.waiting).toBe(2000);
  await expect.poll(() => hostile.flatMap(begunOf).length).toBe(hostile.length * limits.pushSubscriptions);
  for (let n = 0; n < 30; n++) queue.add('victim/phone', `${n}`);
  expect(queue.waiting).toBe(2000);
  await expect.poll(() => begunOf('victim')).toHaveLength(30);
  expect(dropped).not.toContain('victim');
  await queue.close();
  expect(queue.waiting).toBe(0);
});

it('keeps what waits for a member, however much is added for others', async () => {
  const { queue, fill, begunOf, dropped } = open(() => later);
  for (let n = 0; n < 30; n++) queue.add('victim/phone', `${n}`);
  await expect.poll(() => begunOf('victim')).toHaveLength(1);
  for (const member of hostile) fill(member, 50);
  expect(queue.waiting).toBe(2000);
  expect(dropped).not.toContain('victim');
  await queue.close();
});

it('drops the oldest of a member whose share is full, but not what is being sent', async () => {
  const { held, release } = heldReplies();
  const { queue, fill, begun, begunOf, dropped } = open(() => held);
  fill('ben', 20);
  await expect.poll(() => begun).toHaveLength(2);
  fill('ben', 5, 20);
  expect(queue.waiting).toBe(400);
  expect(dropped).toHaveLength(100);
  release();
  await expect.poll(() => queue.waiting).toBe(0);
  const count = (payload: string) => begunOf('ben').filter((one) => one === payload).length;
  expect(['0', '1', '4', '5', '6', '19', '20', '24'].map(count)).toEqual([2, 0, 0, 18, 20, 20, 20, 20]);
  await queue.close();
});

it('sends to a member however many others have push services that do not answer', async () => {
  const { held, release } = heldReplies();
  const { queue, fill, begun, begunOf } = open((member) => (member === 'victim' ? taken : held));
  for (const member of hostile) fill(member, 10);
  await expect.poll(() => begun).toHaveLength(hostile.length);
  for (let n = 0; n < 10; n++) queue.add('victim/phone', `${n}`);
  await expect.poll(() => begunOf('victim')).toEqual(Array.from({ length: 10 }, (_, n) => `${n}`));
  expect(begun).toHaveLength(hostile.length + 10);
  release();
  await queue.close();
});

it('goes round by member, and not by subscription', async () => {
  const { held, release } = heldReplies();
  const { queue, fill, begun } = open(() => held);
  for (const member of ['ada', 'ben', 'cy', 'dee']) fill(member, 2);
  await expect.poll(() => begun).toHaveLength(8);
  expect(begun.map(({ id }) => id)).toEqual([
    ...['ada/0', 'ben/0', 'cy/0', 'dee/0'],
    ...['ada/1', 'ben/1', 'cy/1', 'dee/1'],
  ]);
  release();
  await queue.close();
});

it('forgets a subscription that ended, and goes on with the others of its member', async () => {
  const { held, release } = heldReplies();
  const { queue, begun, begunOf } = open(() => held);
  for (const id of ['ben/a', 'ben/b', 'ben/c']) queue.add(id, id);
  await expect.poll(() => begun).toHaveLength(2);
  for (const id of ['ben/a', 'ben/c']) queue.drop(id);
  queue.add('ben/d', 'ben/d');
  expect(queue.waiting).toBe(2);
  release();
  await expect.poll(() => queue.waiting).toBe(0);
  expect(begunOf('ben')).toEqual(['ben/a', 'ben/b', 'ben/d']);
  await queue.close();
});
