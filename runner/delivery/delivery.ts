/**
 * The way of a message from the stream to the model: in order, bundled while the agent is busy, at least
 * once, and with evidence that never claims more than was observed
 * (specification/runner.md#bringing-messages-to-the-model).
 */
import type { Message } from '#protocol/message.ts';
import type { Evidence } from '#protocol/receipt.ts';
import type { Bundle, ClaimedBundle } from '../agents/agent.ts';
import type { RunState } from '../session/run-state.ts';
import { messageHead } from '../toolbox/message-head.rules.ts';
import { bundled, excess } from './bundle-size.rules.ts';
import {
  type Entry,
  hasWakingIn,
  isWaiting,
  type MessageEntry,
  messageEntry,
  positionEntry,
} from './delivery-entry.rules.ts';
import {
  bundleText,
  type MessageContext,
  type Received,
  reminderText,
  shownText,
} from './message-block.rules.ts';
import { createReceiptReports } from './receipt-reports.ts';

export interface Delivery {
  /**
   * Adds a message for the model; a known one is dropped. `cursor`: its position in the stream, if it came
   * from there.
   */
  add(message: Message, cursor: string | null): void;
  /** A message that is not for the model, such as the agent's own: the stream's position moves past it. */
  pass(cursor: string, messageId: string): void;
  /** Whether the agent may have got this message: only then can an exchange carry it. */
  mayHaveReached(messageId: string): boolean;
  /** Whether this message came and nothing has proven that the model has it. */
  isOpen(messageId: string): boolean;
  /** Whether this message came and the model has it: only then can a post that names it be an answer to it. */
  isSettled(messageId: string): boolean;
  /** Returns how this message begins in the results of tools; null if it did not come. */
  headOf(messageId: string): string | null;
  /** Whether this message came and the agent's process has not accepted it. */
  waits(messageId: string): boolean;
  /** How many older messages wait at the broker that are not handed over; reported once. */
  addOlder(count: number): void;
  /** Messages that the agent's process has not accepted, including those that are only counted. */
  readonly unread: number;
  /** Messages of which nothing has proven that the model has them. */
  readonly unsettled: number;
  /** Whether a message waits that begins a turn. */
  readonly hasWaking: boolean;
  /** Whether such a message waits and the agent can get it now. */
  readonly hasWaiting: boolean;
  /** Calls the listener, instead of an earlier one, whenever `unread` or `hasWaiting` may have changed. */
  watch(onChanged: () => void): void;
  /**
   * Claims the waiting messages as one text for a request of the agent itself (a hook, a hint). They count as
   * `accepted` when the agent has accepted the text.
   */
  claimBundle(maxCharacters?: number): Promise<ClaimedBundle | null>;
  /** The result of a tool takes these to the agent. */
  carry(messageIds: readonly string[]): void;
  /**
   * These were not accepted after all, or the model did not take them: they wait again. `isLost`: they are not in
   * the agent's conversation either.
   */
  putBack(messageIds: readonly string[], isLost?: boolean): void;
  /** The model refuses: nothing is brought to the agent. */
  hold(): void;
  /**
   * Brings the next bundle, or the next message that comes, and nothing after it. `note`: precedes it, and is
   * brought by itself if nothing waits.
   */
  tryOnce(note: string | null): void;
  /** Precedes the first bundle, and is brought by itself if nothing waits. */
  beginWith(note: string | null): void;
  /** The model works: everything is brought to the agent. */
  release(): void;
  /** More than that the agent's process accepted a message will be proven, so that does not settle it. */
  awaitProof(): void;
  readonly isProofAwaited: boolean;
  onEvidence(messageIds: readonly string[], state: Evidence | 'offered'): void;
  /** Sets whether messages can be delivered to the agent. When that ends, messages without proof wait again. */
  setReady(isReady: boolean): void;
  /** The broker is available again: reports the receipts that did not reach it. */
  reportAgain(): void;
  /**
   * Resolves when nothing is in transit and every receipt was reported or, after `timeoutMs` (3 s by
   * default), given up. A message without a receipt is delivered again at the next start.
   */
  flushReports(timeoutMs?: number): Promise<void>;
}

export interface DeliveryDeps {
  state: RunState;
  messageContext: () => MessageContext;
  /** Whether the message begins a turn; another one waits for the next (`wakes.rules.ts`). */
  wakes(message: Message): boolean;
  /** The agent is about to get these. */
  onHandOver(messageIds: readonly string[]): void;
  /**
   * Brings a bundle to the model; rejects if the agent did not accept it. Null if the agent cannot be woken.
   */
  bring: ((bundle: Bundle) => Promise<void>) | null;
  /**
   * Shows a bundle to an agent that cannot be woken reliably: it keeps waiting for something that proves
   * more. Null if there is no such way.
   */
  offer?: ((bundle: Bundle) => boolean) | null;
  /** Reports evidence to the broker. */
  report(messageId: string, state: Evidence, at: number): Promise<void>;
  now: () => number;
  log: (event: string, data?: object) => void;
}

const retryMs = 1000;
const reportTimeoutMs = 3000;
/** The most arrived messages that are remembered, to recognize a repeat. */
const maxRemembered = 5000;
/** How often a message is shown in full to one process of the agent, whose conversation keeps it. */
const maxShown = 2;

export function createDelivery(deps: DeliveryDeps): Delivery {
  const { state, messageContext, wakes, onHandOver, bring, offer = null, report, now, log } = deps;
  /** In the order of arrival; arrived entries leave from the front, which the cursor follows. */
  let queue: Entry[] = [];
  const entryById = new Map<string, Entry>();
  const offered = new Set<string>();
  let older = 0;
  let isReady = false;
  let isBringing = false;
  /** `one`: the next bundle is an attempt, and what follows depends on its outcome. */
  let gate: 'open' | 'one' | 'closed' = 'open';
  /** What the next bundle begins with. */
  let note: string | null = null;
  let isProofAwaited = bring !== null;
  let retry: NodeJS.Timeout | null = null;
  let onChanged = (): void => undefined;

  const receipts = createReceiptReports({
    report,
    onReported(id, evidence) {
      if (evidence !== 'accepted' || !isProofAwaited) state.forget([id]);
    },
    now,
    log,
  });

  const nextEntries = (): MessageEntry[] => bundled(queue.filter(isWaiting));

  const receivedOf = (entries: readonly MessageEntry[]): Received[] =>
    entries.map(({ message }) => ({ message, again: state.wasHandedOver(message.id) }));

  const textOf = (entries: readonly MessageEntry[]): string =>
    entries.every(({ shown }) => shown >= maxShown)
      ? reminderText(entries.length)
      : bundleText(receivedOf(entries), messageContext(), older);

  /** Marks them as handed over on disk before a byte of them leaves. */
  async function bundleOf(entries: readonly MessageEntry[]): Promise<ClaimedBundle> {
    const messageIds = entries.map(({ message }) => message.id);
    const text = [note ?? [], entries.length === 0 ? [] : textOf(entries)].flat().join('\n\n');
    const shown = shownText(receivedOf(entries), messageContext());
    const messages = entries.map(({ message }) => message);
    const bundle = { messageIds, text, shown, messages };
    const told = older;
    for (const entry of entries) entry.phase = 'on its way';
    onChanged();
    onHandOver(messageIds);
    await state.handOver(messageIds);
    older -= told;
    return bundle;
  }

  const entriesOf = (ids: readonly string[]): Entry[] => ids.flatMap((id) => entryById.get(id) ?? []);
  const waitAgain = (entries: readonly Entry[]): void => {
    for (const entry of entries) if (entry.phase === 'on its way') entry.phase = 'waiting';
  };

  function arrive(entries: readonly Entry[]): void {
    for (const entry of entries) entry.phase = 'arrived';
    while (queue[0]?.phase === 'arrived') {
      const [{ cursor, id }] = queue as [Entry];
      queue = queue.slice(1);
      if (cursor !== null) state.moveTo(cursor, id);
    }
    for (const [id, { phase }] of entryById) {
      if (entryById.size <= maxRemembered) break;
      if (phase === 'arrived') entryById.delete(id);
    }
    for (const id of offered) {
      if (offered.size <= maxRemembered) break;
      offered.delete(id);
    }
    void state.flush().catch((err: unknown) => log('state was not written', { err: String(err) }));
  }

  function leaveOldest(): void {
    const left = excess(queue.filter(isWaiting));
    if (left.length === 0) return;
    older += left.length;
    log('too many messages are waiting; the oldest are only counted', {
      ids: left.map(({ message }) => message.id),
    });
    arrive(left);
  }

  async function pump(): Promise<void> {
    if (isBringing || bring === null) return;
    isBringing = true;
    try {
      while (isReady && gate !== 'closed') {
        if (!hasWakingIn(queue) && note === null) return;
        const entries = nextEntries();
        const isAttempt = gate === 'one';
        try {
          const noted = note;
          const bundle = await bundleOf(entries);
          if (isAttempt) gate = 'closed';
          log('sending messages to the agent', { ids: bundle.messageIds });
          await bring(bundle);
          for (const entry of entries) entry.shown += 1;
          if (note === noted) note = null;
        } catch (error) {
          log('the agent did not accept messages', {
            ids: entries.map(({ message }) => message.id),
            reason: String(error),
          });
          waitAgain(entries);
          if (isAttempt) gate = 'one';
          retry ??= setTimeout(() => {
            retry = null;
            void pump();
          }, retryMs);
          return;
        }
      }
    } finally {
      isBringing = false;
    }
  }

  /** Each message once; the repeat by a hook then says `again`. */
  async function show(by: (bundle: Bundle) => boolean): Promise<void> {
    if (!isReady || isBringing) return;
    isBringing = true;
    try {
      for (;;) {
        const entries = queue.filter(isWaiting).filter(({ message }) => !offered.has(message.id));
        if (!entries.some((entry) => entry.wakes)) return;
        const next = entries.slice(0, 1);
        const bundle = await bundleOf(next);
        waitAgain(next);
        if (!by(bundle)) return;
        for (const id of bundle.messageIds) offered.add(id);
        log('evidence', { ids: bundle.messageIds, evidence: 'offered' });
      }
    } catch (error) {
      log('a message was not offered', { reason: String(error) });
      waitAgain(queue);
    } finally {
      isBringing = false;
    }
  }

  function pass(cursor: string, id: string): void {
    queue.push(positionEntry(id, cursor));
    arrive([]);
  }

  return {
    add(message, cursor) {
      const known = entryById.get(message.id);
      if (known !== undefined) {
        // An arrived one has left the queue, or is about to: its position in the stream still counts.
        if (known.phase === 'arrived' && cursor !== null) pass(cursor, message.id);
        else known.cursor ??= cursor;
        return;
      }
      const entry = messageEntry(message, cursor, wakes(message));
      entryById.set(message.id, entry);
      queue.push(entry);
      leaveOldest();
      // This agent never reports which messages its model received.
      if (queue.length > maxRemembered)
        arrive(queue.filter(({ phase }) => phase === 'on its way').slice(0, 1));
      onChanged();
      void pump();
      if (offer !== null) void show(offer);
    },
    pass,
    mayHaveReached(id) {
      const entry = entryById.get(id);
      return entry !== undefined && (entry.phase !== 'waiting' || state.wasHandedOver(id));
    },
    isOpen(id) {
      const entry = entryById.get(id);
      return entry !== undefined && entry.phase !== 'arrived';
    },
    isSettled: (id) => entryById.get(id)?.phase === 'arrived',
    headOf(id) {
      const message = entryById.get(id)?.message ?? null;
      return message === null ? null : messageHead(message);
    },
    waits: (id) => entryById.get(id)?.phase === 'waiting',
    addOlder(count) {
      older += count;
      onChanged();
    },
    get unread() {
      return queue.filter(isWaiting).length + older;
    },
    get unsettled() {
      return queue.filter(({ message, phase }) => message !== null && phase !== 'arrived').length + older;
    },
    get hasWaking() {
      return hasWakingIn(queue);
    },
    get hasWaiting() {
      return isReady && gate !== 'closed' && hasWakingIn(queue);
    },
    watch(listener) {
      onChanged = listener;
    },
    carry(messageIds) {
      const entries = entriesOf(messageIds).filter(isWaiting);
      for (const entry of entries) entry.phase = 'on its way';
      const ids = entries.map(({ id }) => id);
      onHandOver(ids);
      state.handOver(ids).catch((err: unknown) => log('state was not written', { err: String(err) }));
    },
    putBack(messageIds, isLost = false) {
      waitAgain(entriesOf(messageIds));
      if (isLost) for (const entry of entriesOf(messageIds)) entry.shown = 0;
      onChanged();
      void pump();
    },
    hold() {
      gate = 'closed';
    },
    tryOnce(next) {
      gate = 'one';
      note = next ?? note;
      onChanged();
      void pump();
    },
    beginWith(first) {
      note = first;
    },
    release() {
      gate = 'open';
      onChanged();
      void pump();
    },
    awaitProof() {
      isProofAwaited = true;
    },
    get isProofAwaited() {
      return isProofAwaited;
    },
    async claimBundle(maxCharacters = Number.POSITIVE_INFINITY) {
      let entries = nextEntries();
      while (entries.length > 0 && textOf(entries).length > maxCharacters) entries = entries.slice(0, -1);
      if (entries.length === 0) return null;
      if (gate === 'one') gate = 'closed';
      return bundleOf(entries);
    },
    onEvidence(messageIds, evidence) {
      log('evidence', { ids: messageIds, evidence });
      if (evidence === 'offered') return;
      // A message that the process accepted is lost with the process, so it counts as arrived only when the
      // model has it. Until then, the stream delivers it again at the next start. A message without a position
      // in the stream keeps waiting at the broker.
      const isKept = evidence === 'accepted' && isProofAwaited;
      const told = isKept ? messageIds.filter((id) => entryById.get(id)?.cursor != null) : messageIds;
      for (const id of told) receipts.add(id, evidence);
      if (bring === null) for (const entry of entriesOf(messageIds)) entry.shown += 1;
      if (!isKept) arrive(entriesOf(messageIds));
      onChanged();
    },
    setReady(ready) {
      isReady = ready;
      if (!ready) waitAgain(queue);
      onChanged();
      if (ready) void pump();
      if (ready && offer !== null) void show(offer);
    },
    reportAgain: receipts.repeat,
    async flushReports(timeoutMs = reportTimeoutMs) {
      if (retry !== null) clearTimeout(retry);
      await receipts.flush(timeoutMs);
      await state.flush();
    },
  };
}
