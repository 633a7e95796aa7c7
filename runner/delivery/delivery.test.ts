/** The delivery of messages to an agent: order, limits, repeats, receipts, and the position in the stream; delivery-without-wake.test.ts has messages and agents that do not wake. */
import { rm, writeFile } from 'node:fs/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { openRunState } from '../session/run-state.ts';
import { directMessage as message } from './testing/direct-message.ts';
import { createFolder, openTestDelivery, removeFolders } from './testing/test-delivery.ts';

afterEach(removeFolders);

describe('delivery', () => {
  it('delivers nothing before the agent is ready, and then everything in order', async () => {
    const { delivery, bundles, until } = await openTestDelivery();
    for (const n of [1, 2, 3]) delivery.add(message(n), `c${n}`);
    expect(delivery.unread).toBe(3);
    expect(bundles).toEqual([]);
    delivery.setReady(true);
    await until(1);
    expect(bundles[0]?.messageIds).toEqual([1, 2, 3].map((n) => message(n).id));
    expect(bundles[0]?.text).toContain('message 2');
  });

  it('begins with a note, together with what waits, or by itself', async () => {
    const { delivery, bundles, until } = await openTestDelivery();
    delivery.add(message(1), 'c1');
    delivery.beginWith({ text: 'You were started.', isContinuation: false });
    delivery.setReady(true);
    await until(1);
    expect(bundles[0]?.text).toMatch(/^You were started\.\n\n.*message 1/s);
    const second = await openTestDelivery();
    second.delivery.beginWith({ text: 'You were started.', isContinuation: false });
    second.delivery.setReady(true);
    await second.until(1);
    expect(second.bundles).toMatchObject([{ messageIds: [], text: 'You were started.' }]);
  });

  it('counts a message as settled only when the model has it, not when the agent was given it', async () => {
    const { delivery, until } = await openTestDelivery();
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
    const { delivery, reported } = await openTestDelivery({ report });
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
    const { delivery, state, bundles, reported, until } = await openTestDelivery();
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
    const { delivery, state } = await openTestDelivery();
    for (let n = 1; n <= 200; n++) delivery.add(message(n, 'x'.repeat(65_536)), `c${n}`);
    expect(delivery.unread).toBe(200);
    expect(state.cursor).toBe('c78');
    await delivery.flushReports();
  });

  it('tries again if its state cannot be written, and loses nothing', async () => {
    const { folder, delivery, bundles, until } = await openTestDelivery();
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
    const { delivery } = await openTestDelivery();
    delivery.add(message(1), null);
    delivery.add(message(1), 'c1');
    expect(delivery.unread).toBe(1);
  });

  it('moves the cursor past a message that the stream brings after it has arrived', async () => {
    const { delivery, state, until } = await openTestDelivery();
    delivery.add(message(1), null);
    delivery.setReady(true);
    await until(1);
    delivery.onEvidence([message(1).id], 'in_context');
    delivery.add(message(1), 'c1');
    expect([state.cursor, state.lastId]).toEqual(['c1', message(1).id]);
    await state.flush();
  });

  it('notes on disk that a message was settled once the broker knows it, also if the run is killed then', async () => {
    const folder = await createFolder();
    const { delivery, until } = await openTestDelivery({ folder });
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
    const { delivery, state, until } = await openTestDelivery();
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
    const { delivery, reported, until } = await openTestDelivery();
    delivery.add(message(1), 'c1');
    delivery.setReady(true);
    await until(1);
    for (const evidence of ['offered', 'accepted', 'in_context', 'accepted', 'answered'] as const)
      delivery.onEvidence([message(1).id], evidence);
    await delivery.flushReports();
    expect(reported).toEqual(['accepted', 'in_context', 'answered'].map((state) => [message(1).id, state]));
  });

  it('delivers again what the agent’s process accepted but its model did not receive, from the stream or from the broker', async () => {
    const { delivery, state, reported, until } = await openTestDelivery();
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
    const first = await openTestDelivery();
    first.delivery.add(message(1), 'c1');
    first.delivery.setReady(true);
    await first.until(1);
    first.delivery.setReady(false);
    first.delivery.setReady(true);
    await first.until(2);
    expect(first.bundles.map(({ text }) => text.includes('again="yes"'))).toEqual([false, true]);

    const second = await openTestDelivery({ folder: first.folder });
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
    const first = await openTestDelivery({ report });
    first.delivery.add(message(1), 'c1');
    first.delivery.setReady(true);
    await first.until(1);
    first.delivery.onEvidence([message(1).id], 'in_context');
    await first.delivery.flushReports();
    const second = await openTestDelivery({ folder: first.folder });
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
    const { delivery, until, bundles } = await openTestDelivery({
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
    const { delivery, until, bundles } = await openTestDelivery();
    for (let n = 1; n <= 25; n++) delivery.add(message(n), null);
    for (let n = 26; n <= 27; n++) delivery.add(message(n, 'x'.repeat(50_000)), null);
    delivery.setReady(true);
    await until(3);
    expect(bundles.map(({ messageIds }) => messageIds.length)).toEqual([20, 6, 1]);
  });

  it('gives a request as many messages as fit, and one that is too long by itself only if it has to', async () => {
    const { delivery } = await openTestDelivery();
    for (let n = 1; n <= 3; n++) delivery.add(message(n, 'x'.repeat(20_000)), null);
    const first = await delivery.claimBundle(50_000, 1);
    expect(first?.messageIds).toEqual([1, 2].map((n) => message(n).id));
    expect(await delivery.claimBundle(10_000)).toBeNull();
    expect((await delivery.claimBundle(10_000, 1))?.messageIds).toEqual([message(3).id]);
  });
});
