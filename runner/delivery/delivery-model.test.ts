import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Bundle } from '../agents/agent.ts';
import { openRunState } from '../session/run-state.ts';
import { createDelivery } from './delivery.ts';
import type { Refusal } from './model-refusal.rules.ts';
import { directMessage } from './testing/direct-message.ts';
import { plainDeps } from './testing/test-delivery.ts';

const idOf = (n: number) => directMessage(n).id as string;
const refused = (status: number | null) => ({
  kind: 'refused' as const,
  refused: { status, headers: {}, type: null, message: null, resetsAt: null, resetsInSeconds: null },
});
const failure = { status: 401, kind: 'authentication_failed', message: 'Invalid API key' };

async function setUp(wakes = true) {
  const folder = await mkdtemp(join(tmpdir(), 'muster-watch-'));
  const state = await openRunState(folder, 'http://broker', 'ben');
  onTestFinished(async () => {
    await state.flush();
    await rm(folder, { recursive: true, maxRetries: 10 });
  });
  const bundles: Bundle[] = [];
  const reported: string[] = [];
  const refusals: (Refusal['cause'] | null)[] = [];
  const scheduled: { delayMs: number; attempt(): void }[] = [];
  const delivery = createDelivery({
    state,
    ...plainDeps,
    wakes: () => true,
    onHandOver: () => undefined,
    bring: wakes ? async (bundle) => void bundles.push(bundle) : null,
    report: async (id, evidence) => void reported.push(`${Number.parseInt(id.slice(-2), 16)} ${evidence}`),
    onRefusal: (refusal) => refusals.push(refusal?.cause ?? null),
    schedule(delayMs, attempt) {
      const one = { delayMs, attempt };
      scheduled.push(one);
      return () => void scheduled.splice(0, scheduled.length, ...scheduled.filter((other) => other !== one));
    },
  });
  delivery.setReady(true);
  const carrying = (ids: number[], texts: string[] = []) => ({
    ids: new Set(ids.map(idOf)),
    texts: new Set(texts),
    isConversation: true,
  });
  /** Adds messages and waits until the agent has them. */
  async function give(...ns: number[]) {
    const before = bundles.length;
    for (const n of ns) delivery.add(directMessage(n), `c${n}`);
    await expect.poll(() => bundles.length).toBeGreaterThan(before);
  }
  async function tryAgain() {
    const before = bundles.length;
    scheduled.pop()?.attempt();
    await expect.poll(() => bundles.length).toBe(before + 1);
  }
  return { state, delivery, bundles, reported, refusals, scheduled, carrying, give, tryAgain };
}

describe('a message', () => {
  it('is settled by an exchange that carried it and was answered, not by the agent’s word for it', async () => {
    const { state, delivery, reported, carrying, give } = await setUp();
    await give(1, 2);
    delivery.onReply({ kind: 'complete' }, carrying([1]), delivery.turn);
    delivery.onOutcome([idOf(1), idOf(2)], null);
    await delivery.flushReports();
    expect(reported).toEqual(['1 in_context']);
    expect([state.cursor, delivery.waits(idOf(2))]).toEqual(['c1', true]);
  });

  it('is settled by the agent’s word for a completed turn if no exchange can be seen', async () => {
    const { delivery, reported, give } = await setUp();
    await give(1);
    delivery.onOutcome([idOf(1)], null);
    await delivery.flushReports();
    expect(reported).toEqual(['1 in_context']);
  });

  it('is not settled by an exchange of another run that quotes it before it was handed over', async () => {
    const { delivery, reported, carrying } = await setUp();
    delivery.setReady(false);
    delivery.add(directMessage(1), 'c1');
    delivery.onReply({ kind: 'complete' }, { ...carrying([1]) }, delivery.turn);
    await delivery.flushReports();
    expect(reported).toEqual([]);
  });

  it('that the result of a tool carries is settled by the exchange that carries the result', async () => {
    const { delivery, reported, carrying } = await setUp(false);
    delivery.add(directMessage(1), 'c1');
    delivery.add(directMessage(2), 'c2');
    delivery.awaitProof();
    delivery.onCarried([idOf(1), idOf(2)]);
    expect(delivery.wantedTexts()).toHaveLength(2);
    const [head = ''] = delivery.wantedTexts();
    delivery.onReply({ kind: 'complete' }, carrying([], [head]), delivery.turn);
    await delivery.flushReports();
    expect(reported).toEqual(['1 in_context']);
    expect(delivery.wantedTexts()).toHaveLength(1);
  });

  it('is settled also if another one by the same sender came in the same millisecond', async () => {
    const { delivery, reported, carrying } = await setUp(false);
    for (const n of [1, 2]) delivery.add({ ...directMessage(n), ts: 1 }, `c${n}`);
    delivery.awaitProof();
    delivery.onCarried([idOf(1), idOf(2)]);
    delivery.onReply({ kind: 'complete' }, carrying([], [...delivery.wantedTexts()]), delivery.turn);
    await delivery.flushReports();
    expect(reported).toEqual(['1 in_context', '2 in_context']);
    expect(delivery.wantedTexts()).toEqual([]);
  });

  it('that the result of a tool carries to an agent of which nothing else is seen is only accepted', async () => {
    const { delivery, reported } = await setUp(false);
    delivery.add(directMessage(1), 'c1');
    delivery.onCarried([idOf(1)]);
    await delivery.flushReports();
    expect(reported).toEqual(['1 accepted']);
  });

  it('that a hook handed over waits again if the exchange that carries it is refused', async () => {
    const { delivery, reported, scheduled, carrying } = await setUp(false);
    delivery.awaitProof();
    delivery.add(directMessage(1), null);
    await delivery.claimBundle();
    delivery.onEvidence([idOf(1)], 'accepted');
    delivery.onReply(refused(429), carrying([1]), delivery.turn);
    // An idle agent is not woken for it before the next attempt is due.
    expect([delivery.waits(idOf(1)), delivery.hasWaiting]).toEqual([true, false]);
    scheduled.pop()?.attempt();
    expect(delivery.hasWaiting).toBe(true);
    expect((await delivery.claimBundle())?.text).toContain('again="yes"');
    delivery.add(directMessage(2), null);
    expect(delivery.hasWaiting).toBe(false);
    delivery.onReply({ kind: 'complete' }, carrying([1]), delivery.turn);
    await delivery.flushReports();
    expect(reported).toEqual(['1 in_context']);
    expect(delivery.hasWaiting).toBe(true);
  });
});

describe('a model that refuses', () => {
  it('gets what it refused again after a growing time, and nothing that comes meanwhile starts an attempt', async () => {
    const { delivery, bundles, refusals, scheduled, carrying, give, tryAgain } = await setUp();
    await give(1);
    delivery.onReply(refused(401), carrying([1]), delivery.turn);
    delivery.onOutcome([idOf(1)], failure);
    delivery.add(directMessage(2), 'c2');
    await delivery.flushReports();
    expect(bundles).toHaveLength(1);
    expect(scheduled.map(({ delayMs }) => delayMs)).toEqual([1000]);

    await tryAgain();
    expect(bundles[1]?.text.match(/again="yes"/g)).toHaveLength(1);
    delivery.add(directMessage(3), 'c3');
    delivery.onOutcome([idOf(1), idOf(2)], failure);
    expect(scheduled.map(({ delayMs }) => delayMs)).toEqual([2000]);
    expect(bundles).toHaveLength(2);

    await tryAgain();
    delivery.onReply({ kind: 'complete' }, carrying([1, 2, 3]), delivery.turn);
    expect(new Set(refusals)).toEqual(new Set(['login', null]));
    expect([refusals.at(-1), scheduled]).toEqual([null, []]);
    await delivery.flushReports();
  });

  it('is asked to consider a message that its conversation has twice, instead of getting it once more', async () => {
    const { delivery, bundles, give, tryAgain } = await setUp();
    await give(1);
    for (let n = 0; n < 3; n++) {
      delivery.onOutcome([idOf(1)], failure);
      await tryAgain();
    }
    expect(bundles.map(({ text }) => text.includes('message 1'))).toEqual([true, true, false, false]);
    expect(bundles[2]?.messageIds).toEqual([idOf(1)]);
  });

  it('gets a message in full again if its answered conversation no longer has it, and not forever', async () => {
    const { delivery, bundles, scheduled, carrying, give, tryAgain } = await setUp();
    await give(1);
    for (let n = 0; n < 3; n++) {
      delivery.onReply({ kind: 'complete' }, carrying([]), delivery.turn);
      delivery.onOutcome([idOf(1)], null);
      await tryAgain();
    }
    delivery.onOutcome([idOf(1)], null);
    expect(scheduled).toEqual([]);
    expect(bundles.every(({ text }) => text.includes('message 1'))).toBe(true);
  });

  it('continues a turn that it cut off after everything was settled', async () => {
    const { delivery, bundles, carrying, give, tryAgain } = await setUp();
    await give(1);
    delivery.onReply({ kind: 'complete' }, carrying([1]), delivery.turn);
    delivery.onReply(refused(529), carrying([1]), delivery.turn);
    delivery.onOutcome([idOf(1)], { status: 529, kind: null, message: 'Overloaded' });
    await tryAgain();
    expect(bundles[1]).toMatchObject({
      messageIds: [],
      text: expect.stringContaining('Continue where you stopped'),
    });
  });

  it('that breaks off each answer is asked after a growing time, and told once to continue', async () => {
    const { delivery, bundles, refusals, scheduled, carrying, give, tryAgain } = await setUp();
    const broken = { ...refused(null), kind: 'broken' as const };
    const delays: (number | undefined)[] = [];
    await give(1);
    for (let turn = 0; turn < 4; turn++) {
      delivery.onReply(broken, carrying([1]), delivery.turn);
      delivery.onOutcome(turn === 0 ? [idOf(1)] : [], {
        status: null,
        kind: 'server_error',
        message: 'lost',
      });
      delays.push(scheduled[0]?.delayMs);
      await tryAgain();
    }
    expect(delays).toEqual([1000, 2000, 4000, 8000]);
    const texts = bundles.slice(1).map(({ text }) => text);
    expect(texts[0]).toContain('Continue where you stopped');
    expect(texts.slice(1)).toEqual(['Continue.', 'Continue.', 'Continue.']);
    delivery.onReply({ kind: 'complete' }, carrying([1]), delivery.turn);
    delivery.onOutcome([], null);
    expect([refusals.at(-1), scheduled]).toEqual([null, []]);
  });

  it('is asked later at once if the agent itself asked several times in one turn', async () => {
    const { delivery, scheduled, carrying, give } = await setUp();
    await give(1);
    for (let n = 0; n < 6; n++)
      delivery.onReply({ ...refused(null), kind: 'broken' }, carrying([1]), delivery.turn);
    delivery.onOutcome([idOf(1)], { status: null, kind: 'server_error', message: 'lost' });
    expect(scheduled.map(({ delayMs }) => delayMs)).toEqual([32_000]);
  });

  it('is asked again although the reply of an exchange of the failed turn is read late', async () => {
    const { delivery, bundles, reported, carrying, give, tryAgain } = await setUp();
    await give(1);
    const { turn } = delivery;
    delivery.onOutcome([idOf(1)], { status: 529, kind: null, message: 'Overloaded' });
    delivery.onReply({ kind: 'complete' }, carrying([1]), turn);
    await tryAgain();
    expect(bundles[1]?.text).toContain('Continue where you stopped');
    await delivery.flushReports();
    expect(reported).toEqual(['1 in_context']);
  });

  it('is not called refusing for an error that the agent’s next attempts may overcome', async () => {
    const { delivery, refusals, carrying } = await setUp();
    delivery.onReply(refused(529), carrying([]), delivery.turn);
    delivery.onReply(refused(null), carrying([]), delivery.turn);
    delivery.onReply({ kind: 'complete' }, carrying([]), delivery.turn);
    expect(refusals).toEqual([]);
    for (let n = 0; n < 3; n++) delivery.onReply(refused(500), carrying([]), delivery.turn);
    delivery.onReply(refused(429), carrying([]), delivery.turn);
    expect(refusals).toEqual(['overloaded', 'limit']);
  });

  it('is not what interrupted a turn', async () => {
    const { delivery, refusals, give, tryAgain, bundles } = await setUp();
    await give(1);
    delivery.onOutcome([idOf(1)], { status: null, kind: 'interrupted', message: 'interrupted' });
    await tryAgain();
    expect(refusals).toEqual([]);
    expect(bundles[1]?.text).toContain('again="yes"');
  });

  it('of an agent that says so itself is shown while the agent still tries', async () => {
    const { delivery, refusals, carrying } = await setUp();
    delivery.onSetback({ status: 429, kind: null, message: 'usage limit' });
    delivery.onReply(refused(429), carrying([]), delivery.turn);
    expect(refusals).toEqual(['limit', 'limit']);
    delivery.onSetback({ status: 401, kind: null, message: 'seen at the gateway' });
    expect(refusals).toEqual(['limit', 'limit']);
  });
});
