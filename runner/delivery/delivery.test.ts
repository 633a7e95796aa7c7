import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Message } from '#protocol/message.ts';
import type { Bundle } from '../agents/agent.ts';
import { openRunState, type RunState } from '../session/run-state.ts';
import { createDelivery } from './delivery.ts';
import { sealOf } from './message-seal.ts';
import { directMessage as message } from './testing/direct-message.ts';

const folders: string[] = [];
const states: RunState[] = [];
afterEach(async () => {
  // A state that is still being written would put a file into its folder while that is removed.
  for (const state of states.splice(0)) await state.flush().catch(() => undefined);
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, maxRetries: 10 });
});

/** No model refuses here. */
const unused = { onRefusal: () => undefined, random: () => 1, schedule: () => () => undefined };

async function setUp(
  over: { folder?: string; take?: (bundle: Bundle) => Promise<void>; report?: () => Promise<void> } = {},
) {
  const folder = over.folder ?? (await mkdtemp(join(tmpdir(), 'muster-run-')));
  if (over.folder === undefined) folders.push(folder);
  const state = await openRunState(folder, 'http://broker', 'ben');
  states.push(state);
  const bundles: Bundle[] = [];
  const reported: [string, string][] = [];
  const handedOver: string[] = [];
  let wake = () => {};
  const delivery = createDelivery({
    state,
    messageContext: () => ({
      self: 'ben',
      roleOf: () => undefined,
      sealOf,
      slugOf: () => undefined,
      objectives: [],
    }),
    wakes: ({ agent }) => agent === undefined,
    onHandOver: (ids) => handedOver.push(...ids),
    async bring(bundle) {
      await over.take?.(bundle);
      bundles.push(bundle);
      wake();
    },
    async report(id, evidence) {
      reported.push([id, evidence]);
      await over.report?.();
    },
    ...unused,
    now: () => 1,
    log: () => {},
  });
  const until = async (count: number) => {
    while (bundles.length < count) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };
  return { folder, state, delivery, bundles, reported, handedOver, until };
}

describe('delivery', () => {
  it('delivers nothing before the agent is ready, and then everything in order', async () => {
    const { delivery, bundles, until } = await setUp();
    for (const n of [1, 2, 3]) delivery.add(message(n), `c${n}`);
    expect(delivery.unread).toBe(3);
    expect(bundles).toEqual([]);
    delivery.setReady(true);
    await until(1);
    expect(bundles[0]?.messageIds).toEqual([1, 2, 3].map((n) => message(n).id));
    expect(bundles[0]?.text).toContain('message 2');
  });

  it('begins with a note, together with what waits, or by itself', async () => {
    const { delivery, bundles, until } = await setUp();
    delivery.add(message(1), 'c1');
    delivery.beginWith({ text: 'You were started.', isContinuation: false });
    delivery.setReady(true);
    await until(1);
    expect(bundles[0]?.text).toMatch(/^You were started\.\n\n.*message 1/s);
    const second = await setUp();
    second.delivery.beginWith({ text: 'You were started.', isContinuation: false });
    second.delivery.setReady(true);
    await second.until(1);
    expect(second.bundles).toMatchObject([{ messageIds: [], text: 'You were started.' }]);
  });

  it('counts a message as settled only when the model has it, not when the agent was given it', async () => {
    const { delivery, until } = await setUp();
    const { id } = message(1);
    delivery.add(message(1), 'c1');
    delivery.setReady(true);
    await until(1);
    delivery.onEvidence([id], 'accepted');
    expect([delivery.waits(id), delivery.isSettled(id)]).toEqual([false, false]);
    delivery.onEvidence([id], 'in_context');
    expect(delivery.isSettled(id)).toBe(true);
    expect(delivery.isSettled(message(2).id)).toBe(false);
  });

  it('ends in time while the broker does not answer, and then sends it nothing more', async () => {
    let answer = (): void => {};
    const report = () =>
      new Promise<void>((resolve) => {
        answer = resolve;
      });
    const { delivery, reported } = await setUp({ report });
    for (const n of [1, 2, 3]) delivery.add(message(n), `c${n}`);
    delivery.onEvidence(
      [1, 2, 3].map((n) => message(n).id),
      'accepted',
    );
    await delivery.flushReports(20);
    answer();
    await delivery.flushReports(20);
    expect(reported).toEqual([[message(1).id, 'accepted']]);
  });

  it('keeps a limited number of messages for an agent that accepts none, tells it how many more there are, and reports no evidence for those', async () => {
    const { delivery, state, bundles, reported, until } = await setUp();
    for (let n = 1; n <= 1005; n++) delivery.add(message(n), `c${n}`);
    expect(delivery.unread).toBe(1005);
    expect(state.cursor).toBe('c5');
    delivery.add(message(3), 'c3');
    expect(delivery.unread).toBe(1005);
    delivery.setReady(true);
    await until(1);
    expect(bundles[0]?.messageIds[0]).toBe(message(6).id);
    expect(bundles[0]?.text).toMatch(/\b5\b.*recent/);
    expect(reported).toEqual([]);
    delivery.setReady(false);
    await state.flush();
  });

  it('keeps a limited amount of text for such an agent, and always the newest message', async () => {
    const { delivery, state } = await setUp();
    for (let n = 1; n <= 200; n++) delivery.add(message(n, 'x'.repeat(65_536)), `c${n}`);
    expect(delivery.unread).toBe(200);
    expect(state.cursor).toBe('c78');
    await delivery.flushReports();
  });

  it('tries again if its state cannot be written, and loses nothing', async () => {
    const { folder, delivery, bundles, until } = await setUp();
    await rm(folder, { recursive: true });
    await writeFile(folder, 'in the way');
    delivery.add(message(1), 'c1');
    delivery.setReady(true);
    await expect(delivery.flushReports()).rejects.toThrow(/ENOTDIR|EEXIST/);
    expect(bundles).toEqual([]);
    await rm(folder);
    delivery.setReady(true);
    await until(1);
    expect(bundles[0]?.messageIds).toEqual([message(1).id]);
    await delivery.flushReports();
  });

  it('recognizes a message that it already knows', async () => {
    const { delivery } = await setUp();
    delivery.add(message(1), null);
    delivery.add(message(1), 'c1');
    expect(delivery.unread).toBe(1);
  });

  it('moves the cursor past a message that the stream brings after it has arrived', async () => {
    const { delivery, state, until } = await setUp();
    delivery.add(message(1), null);
    delivery.setReady(true);
    await until(1);
    delivery.onEvidence([message(1).id], 'in_context');
    delivery.add(message(1), 'c1');
    expect([state.cursor, state.lastId]).toEqual(['c1', message(1).id]);
    await state.flush();
  });

  it('notes on disk that a message was settled once the broker knows it, also if the run is killed then', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'muster-run-'));
    folders.push(folder);
    const { delivery, until } = await setUp({ folder });
    delivery.add(message(1), 'c1');
    delivery.setReady(true);
    await until(1);
    const onDisk = async () =>
      (await openRunState(folder, 'http://broker', 'ben')).wasHandedOver(message(1).id);
    expect(await onDisk()).toBe(true);
    delivery.onEvidence([message(1).id], 'in_context');
    await expect.poll(onDisk).toBe(false);
  });

  it('moves the cursor only past messages that arrived, without a gap', async () => {
    const { delivery, state, until } = await setUp();
    for (const n of [1, 2, 3]) delivery.add(message(n), `c${n}`);
    delivery.setReady(true);
    await until(1);
    delivery.onEvidence([message(1).id, message(3).id], 'in_context');
    expect(state.cursor).toBe('c1');
    delivery.onEvidence([message(2).id], 'in_context');
    expect(state.cursor).toBe('c3');
    await state.flush();
  });

  it('reports evidence once per strength, and never weaker than before', async () => {
    const { delivery, reported, until } = await setUp();
    delivery.add(message(1), 'c1');
    delivery.setReady(true);
    await until(1);
    for (const evidence of ['offered', 'accepted', 'in_context', 'accepted', 'answered'] as const)
      delivery.onEvidence([message(1).id], evidence);
    await delivery.flushReports();
    expect(reported).toEqual(['accepted', 'in_context', 'answered'].map((state) => [message(1).id, state]));
  });

  it('delivers again what the agent’s process accepted but its model did not receive, from the stream or from the broker', async () => {
    const { delivery, state, reported, until } = await setUp();
    delivery.add(message(1), null);
    delivery.add(message(2), 'c2');
    delivery.setReady(true);
    await until(1);
    const ids = [1, 2].map((n) => message(n).id);
    delivery.onEvidence(ids, 'accepted');
    await delivery.flushReports();
    expect(reported).toEqual([[message(2).id, 'accepted']]);
    expect([state.cursor, ids.every(state.wasHandedOver)]).toEqual([null, true]);
    delivery.onEvidence(ids, 'in_context');
    await delivery.flushReports();
    expect([state.cursor, ids.some(state.wasHandedOver)]).toEqual(['c2', false]);
  });

  it('delivers again, marked as a repeat, what was handed over without proof, in the same run and in the next', async () => {
    const first = await setUp();
    first.delivery.add(message(1), 'c1');
    first.delivery.setReady(true);
    await first.until(1);
    first.delivery.setReady(false);
    first.delivery.setReady(true);
    await first.until(2);
    expect(first.bundles.map(({ text }) => text.includes('again="yes"'))).toEqual([false, true]);

    const second = await setUp({ folder: first.folder });
    second.delivery.add(message(1), 'c1');
    second.delivery.add(message(2), 'c2');
    second.delivery.setReady(true);
    await second.until(1);
    expect(second.bundles[0]?.text.match(/again="yes"/g)).toHaveLength(1);
  });

  it('repeats a receipt that did not reach the broker, and marks the message as a repeat until it does', async () => {
    let isDown = true;
    const report = async () => {
      if (isDown) throw new Error('the broker is not there');
    };
    const first = await setUp({ report });
    first.delivery.add(message(1), 'c1');
    first.delivery.setReady(true);
    await first.until(1);
    first.delivery.onEvidence([message(1).id], 'in_context');
    await first.delivery.flushReports();
    const second = await setUp({ folder: first.folder });
    second.delivery.add(message(1), null);
    second.delivery.setReady(true);
    await second.until(1);
    expect(second.bundles[0]?.text).toContain('again="yes"');

    isDown = false;
    first.delivery.reportAgain();
    await first.delivery.flushReports();
    first.delivery.reportAgain();
    await first.delivery.flushReports();
    expect(first.reported).toEqual([1, 2].map(() => [message(1).id, 'in_context']));
    expect(first.state.wasHandedOver(message(1).id)).toBe(false);
  });

  it('keeps a message that the agent did not accept', async () => {
    let refusals = 1;
    const { delivery, until, bundles } = await setUp({
      take: async () => {
        if (refusals-- > 0) throw new Error('busy');
      },
    });
    delivery.add(message(1), 'c1');
    delivery.setReady(true);
    await until(1);
    expect(bundles[0]?.messageIds).toEqual([message(1).id]);
  });

  it('bundles at most 20 messages or 60,000 characters', async () => {
    const { delivery, until, bundles } = await setUp();
    for (let n = 1; n <= 25; n++) delivery.add(message(n), null);
    for (let n = 26; n <= 27; n++) delivery.add(message(n, 'x'.repeat(50_000)), null);
    delivery.setReady(true);
    await until(3);
    expect(bundles.map(({ messageIds }) => messageIds.length)).toEqual([20, 6, 1]);
  });

  /** A message that does not wake. */
  const quiet = (n: number): Message => ({ ...message(n), agent: { hops: 1 } });

  it('keeps messages that do not wake until one that does, and then brings all in order', async () => {
    const { delivery, bundles, handedOver, until } = await setUp();
    delivery.setReady(true);
    for (const n of [1, 2]) delivery.add(quiet(n), `c${n}`);
    expect([delivery.unread, delivery.hasWaiting]).toEqual([2, false]);
    delivery.add(message(3), 'c3');
    await until(1);
    expect(bundles[0]?.messageIds).toEqual([1, 2, 3].map((n) => message(n).id));
    expect(handedOver).toEqual(bundles[0]?.messageIds);
    delivery.add(quiet(4), 'c4');
    delivery.add(message(5), 'c5');
    await until(2);
    expect(bundles[1]?.messageIds).toEqual([4, 5].map((n) => message(n).id));
  });

  it('brings messages that do not wake with a note, which begins a turn', async () => {
    const { delivery, bundles, until } = await setUp();
    delivery.add(quiet(1), 'c1');
    delivery.beginWith({ text: 'You were started.', isContinuation: false });
    delivery.setReady(true);
    await until(1);
    expect(bundles[0]?.messageIds).toEqual([message(1).id]);
  });

  it('keeps the position in the stream before a message that waits for the next turn', async () => {
    const { folder, state, delivery } = await setUp();
    delivery.setReady(true);
    delivery.add(quiet(1), 'c1');
    delivery.pass('c2', message(2).id);
    await state.flush();
    expect((await openRunState(folder, 'http://broker', 'ben')).cursor).toBeNull();
  });

  it('offers messages that do not wake through a channel only together with one that does', async () => {
    const shown: Bundle[] = [];
    const { delivery } = await patient((bundle) => shown.push(bundle) > 0);
    delivery.add(quiet(1), null);
    delivery.add(message(2), null);
    await expect
      .poll(() => shown.flatMap(({ messageIds }) => messageIds))
      .toEqual([1, 2].map((n) => message(n).id));
    delivery.add(quiet(3), null);
    expect((await delivery.claimBundle())?.messageIds).toEqual([1, 2, 3].map((n) => message(n).id));
    expect(shown).toHaveLength(2);
  });

  /** An agent that cannot be woken. */
  async function patient(offer: ((bundle: Bundle) => boolean) | null = null) {
    const folder = await mkdtemp(join(tmpdir(), 'muster-run-'));
    folders.push(folder);
    const reported: string[] = [];
    const delivery = createDelivery({
      state: await openRunState(folder, 'http://broker', 'ben'),
      messageContext: () => ({
        self: 'ben',
        roleOf: () => undefined,
        sealOf,
        slugOf: () => undefined,
        objectives: [],
      }),
      wakes: ({ agent }) => agent === undefined,
      onHandOver: () => undefined,
      bring: null,
      offer,
      report: async (_, evidence) => void reported.push(evidence),
      ...unused,
      now: () => 1,
      log: () => {},
    });
    delivery.setReady(true);
    return { delivery, reported };
  }

  it('gives a hook no more than it can pass on, and nothing if the next message is too long', async () => {
    const { delivery } = await patient();
    delivery.add(message(1, 'a'.repeat(500)), null);
    delivery.add(message(2, '<'.repeat(500)), null);
    delivery.add(message(3), null);
    const first = await delivery.claimBundle(2000);
    expect(first?.messageIds).toEqual([message(1).id]);
    expect(first?.text.length).toBeLessThan(2000);
    expect(await delivery.claimBundle(2000)).toBeNull();
    expect((await delivery.claimBundle())?.messageIds).toEqual([message(2).id, message(3).id]);
    expect(delivery.unread).toBe(0);
  });

  it('queues again what a hook did not hand over, but not what has arrived', async () => {
    const { delivery } = await patient();
    delivery.add(message(1), null);
    delivery.add(message(2), null);
    await delivery.claimBundle();
    delivery.onEvidence([message(1).id], 'accepted');
    delivery.putBack([message(1).id, message(2).id]);
    expect((await delivery.claimBundle())?.messageIds).toEqual([message(2).id]);
  });

  it('offers a message once through a channel that proves nothing, and keeps it for a stronger transport', async () => {
    const shown: Bundle[] = [];
    const { delivery, reported } = await patient((bundle) => shown.push(bundle) > 0);
    delivery.add(message(1), null);
    await expect.poll(() => shown.length).toBe(1);
    delivery.setReady(true);
    await expect.poll(() => delivery.unread).toBe(1);
    const taken = await delivery.claimBundle();
    expect(taken?.messageIds).toEqual([message(1).id]);
    expect(taken?.text).toContain('again="yes"');
    expect(shown).toHaveLength(1);
    expect(reported).toEqual([]);
  });
});
