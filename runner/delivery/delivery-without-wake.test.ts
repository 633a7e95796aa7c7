/** The delivery of messages that do not wake an agent, and to an agent that cannot be woken. */
import { afterEach, describe, expect, it } from 'vitest';
import type { Message } from '#protocol/message.ts';
import type { Bundle } from '../agents/agent.ts';
import { openRunState } from '../session/run-state.ts';
import { createDelivery } from './delivery.ts';
import { directMessage as message } from './testing/direct-message.ts';
import { createFolder, openTestDelivery, plainDeps, removeFolders } from './testing/test-delivery.ts';

afterEach(removeFolders);

describe('delivery', () => {
  /** A message that does not wake. */
  const quiet = (n: number): Message => ({ ...message(n), agent: { hops: 1 } });

  it('keeps messages that do not wake until one that does, and then brings all in order', async () => {
    const { delivery, bundles, handedOver, until } = await openTestDelivery();
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
    const { delivery, bundles, until } = await openTestDelivery();
    delivery.add(quiet(1), 'c1');
    delivery.beginWith({ text: 'You were started.', isContinuation: false });
    delivery.setReady(true);
    await until(1);
    expect(bundles[0]?.messageIds).toEqual([message(1).id]);
  });

  it('keeps the position in the stream before a message that waits for the next turn', async () => {
    const { folder, state, delivery } = await openTestDelivery();
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
    const folder = await createFolder();
    const reported: string[] = [];
    const handedOver: string[] = [];
    const delivery = createDelivery({
      state: await openRunState(folder, 'http://broker', 'ben'),
      onHandOver: (ids) => void handedOver.push(...ids),
      bring: null,
      offer,
      report: async (_, evidence) => void reported.push(evidence),
      ...plainDeps,
    });
    delivery.setReady(true);
    return { delivery, reported, handedOver };
  }

  it('says that what a tool read was handed over, also if nothing will prove it', async () => {
    const { delivery, handedOver } = await patient();
    delivery.add(message(1), null);
    delivery.onCarried([message(1).id, message(2).id]);
    expect(handedOver).toEqual([message(1).id]);
  });

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
