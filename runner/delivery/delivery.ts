/**
 * The way of a message from the stream to the model: in order, bundled while the agent is busy, at least
 * once, and with evidence that never claims more than was observed
 * (specification/runner.md#bringing-messages-to-the-model).
 */
import { BrokerError } from '#protocol/errors.ts';
import type { Message } from '#protocol/message.ts';
import type { Evidence } from '#protocol/receipt.ts';
import type { Bundle, ClaimedBundle } from '../agents/agent.ts';
import type { RunState } from '../session/run-state.ts';
import { bundleText, type MessageContext, type Received, shownText } from './message-block.rules.ts';

export interface Delivery {
  /**
   * Adds a message for the model; a known one is dropped. `cursor`: its position in the stream, if it came
   * from there.
   */
  add(message: Message, cursor: string | null): void;
  /** A message that is not for the model, such as the agent's own: the stream's position moves past it. */
  pass(cursor: string, messageId: string): void;
  /** Whether this message came in this run, handed over or not. */
  knows(messageId: string): boolean;
  /** Whether the agent may have got this message: only then can a call that names it be an answer to it. */
  mayHaveReached(messageId: string): boolean;
  /** Whether this message came and the agent's process has not accepted it. */
  waits(messageId: string): boolean;
  /** How many older messages wait at the broker that are not handed over; reported once. */
  addOlder(count: number): void;
  /** Messages that the agent's process has not accepted, including those that are only counted. */
  readonly unread: number;
  /** Whether a message waits that the agent can get now. */
  readonly hasWaiting: boolean;
  /** Calls the listener, instead of an earlier one, whenever `unread` or `hasWaiting` may have changed. */
  watch(onChanged: () => void): void;
  /**
   * Claims the waiting messages as one text for a request of the agent itself (a hook, a hint). They count as
   * `accepted` when the agent has accepted the text.
   */
  claimBundle(maxCharacters?: number): Promise<ClaimedBundle | null>;
  /** These were not accepted after all: they wait again. */
  putBack(messageIds: readonly string[]): void;
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

const maxBundleMessages = 20;
const maxBundleCharacters = 60_000;
const retryMs = 1000;
const reportTimeoutMs = 3000;
/**
 * The most messages that wait here for an agent that accepts none; older ones are reported as a count, and
 * `recent` reads them (specification/receipts.md#waiting-messages).
 */
const maxWaiting = 1000;
const maxWaitingCharacters = 8_000_000;
/** The most arrived messages that are remembered, to recognize a repeat. */
const maxRemembered = 5000;
/** The broker itself refused it, and no other attempt changes that. */
const isFinal = (error: unknown): boolean =>
  error instanceof BrokerError && !['unavailable', 'rate_limited', 'internal'].includes(error.code);
const strengthOf: Record<Evidence, number> = { accepted: 1, in_context: 2, answered: 3 };

interface Entry {
  id: string;
  /** Null for an entry that is only a position. */
  message: Message | null;
  cursor: string | null;
  phase: 'waiting' | 'on its way' | 'arrived';
}

export function createDelivery(deps: DeliveryDeps): Delivery {
  const { state, messageContext, bring, offer = null, report, now, log } = deps;
  /** In the order of arrival; arrived entries leave from the front, which the cursor follows. */
  let queue: Entry[] = [];
  const entryById = new Map<string, Entry>();
  const strengthById = new Map<string, number>();
  const offered = new Set<string>();
  let older = 0;
  let isReady = false;
  let isBringing = false;
  let reporting: Promise<void> = Promise.resolve();
  /**
   * Receipts that the broker does not have; until then, it treats the message as waiting, so the message
   * counts as handed over.
   */
  const unreported = new Map<string, { evidence: Evidence; at: number }>();
  let areGivenUp = false;
  let retry: NodeJS.Timeout | null = null;
  let onChanged = (): void => undefined;

  type MessageEntry = Entry & { message: Message };
  const isWaiting = (entry: Entry): entry is MessageEntry =>
    entry.message !== null && entry.phase === 'waiting';

  /** Returns as many as fit one bundle, in order; a single large one goes alone. */
  function nextEntries(): MessageEntry[] {
    const entries: MessageEntry[] = [];
    let size = 0;
    for (const entry of queue) {
      if (!isWaiting(entry)) continue;
      size += entry.message.body.length;
      if (entries.length === maxBundleMessages || (entries.length > 0 && size > maxBundleCharacters)) break;
      entries.push(entry);
    }
    return entries;
  }

  const receivedOf = (entries: readonly MessageEntry[]): Received[] =>
    entries.map(({ message }) => ({ message, again: state.wasHandedOver(message.id) }));

  const textOf = (entries: readonly MessageEntry[]): string =>
    bundleText(receivedOf(entries), messageContext(), older);

  /** Marks them as handed over on disk before a byte of them leaves. */
  async function bundleOf(entries: readonly MessageEntry[]): Promise<ClaimedBundle> {
    const messageIds = entries.map(({ message }) => message.id);
    const shown = shownText(receivedOf(entries), messageContext());
    const messages = entries.map(({ message }) => message);
    const bundle = { messageIds, text: textOf(entries), shown, messages };
    const told = older;
    for (const entry of entries) entry.phase = 'on its way';
    onChanged();
    await state.handOver(messageIds);
    older -= told;
    return bundle;
  }

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
    for (const id of strengthById.keys()) {
      if (strengthById.size <= maxRemembered) break;
      strengthById.delete(id);
    }
    void state.flush().catch((err: unknown) => log('state was not written', { err: String(err) }));
  }

  function leaveOldest(): void {
    const waiting = queue.filter(isWaiting);
    let size = waiting.reduce((sum, { message }) => sum + message.body.length, 0);
    const left: MessageEntry[] = [];
    for (const entry of waiting.slice(0, -1)) {
      if (waiting.length - left.length <= maxWaiting && size <= maxWaitingCharacters) break;
      size -= entry.message.body.length;
      left.push(entry);
    }
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
      while (isReady) {
        const entries = nextEntries();
        if (entries.length === 0) return;
        try {
          const bundle = await bundleOf(entries);
          log('sending messages to the agent', { ids: bundle.messageIds });
          await bring(bundle);
        } catch (error) {
          log('the agent did not accept messages', {
            ids: entries.map(({ message }) => message.id),
            reason: String(error),
          });
          for (const entry of entries) if (entry.phase === 'on its way') entry.phase = 'waiting';
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
        const next = entries.slice(0, 1);
        if (next.length === 0) return;
        const bundle = await bundleOf(next);
        for (const entry of next) if (entry.phase === 'on its way') entry.phase = 'waiting';
        if (!by(bundle)) return;
        for (const id of bundle.messageIds) offered.add(id);
        log('evidence', { ids: bundle.messageIds, evidence: 'offered' });
      }
    } catch (error) {
      log('a message was not offered', { reason: String(error) });
      for (const entry of queue) if (entry.phase === 'on its way') entry.phase = 'waiting';
    } finally {
      isBringing = false;
    }
  }

  function queueReport(messageId: string, evidence: Evidence, at: number): void {
    const logFailure = (reason: string): void =>
      log('a receipt was not reported', { messageId, evidence, reason });
    reporting = reporting.then(async () => {
      if (areGivenUp) return logFailure('the run ended first');
      try {
        await report(messageId, evidence, at);
      } catch (error) {
        logFailure(String(error));
        if (!isFinal(error)) {
          unreported.set(messageId, { evidence, at });
          for (const id of unreported.keys()) if (unreported.size > maxRemembered) unreported.delete(id);
          return;
        }
      }
      unreported.delete(messageId);
      if (evidence !== 'accepted' || bring === null) state.forget([messageId]);
    });
  }

  function pass(cursor: string, id: string): void {
    queue.push({ id, message: null, cursor, phase: 'arrived' });
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
      const entry: Entry = { id: message.id, message, cursor, phase: 'waiting' };
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
    knows: (id) => entryById.has(id),
    mayHaveReached(id) {
      const entry = entryById.get(id);
      return entry !== undefined && (entry.phase !== 'waiting' || state.wasHandedOver(id));
    },
    waits: (id) => entryById.get(id)?.phase === 'waiting',
    addOlder(count) {
      older += count;
      onChanged();
    },
    get unread() {
      return queue.filter(isWaiting).length + older;
    },
    get hasWaiting() {
      return isReady && queue.some(isWaiting);
    },
    watch(listener) {
      onChanged = listener;
    },
    putBack(messageIds) {
      for (const id of messageIds) {
        const entry = entryById.get(id);
        if (entry?.phase === 'on its way') entry.phase = 'waiting';
      }
      onChanged();
      void pump();
    },
    async claimBundle(maxCharacters = Number.POSITIVE_INFINITY) {
      let entries = nextEntries();
      while (entries.length > 0 && textOf(entries).length > maxCharacters) entries = entries.slice(0, -1);
      return entries.length === 0 ? null : bundleOf(entries);
    },
    onEvidence(messageIds, evidence) {
      log('evidence', { ids: messageIds, evidence });
      if (evidence === 'offered') return;
      const at = now();
      // A message that the process accepted is lost with the process, so it counts as arrived only when the
      // model has it. Until then, the stream delivers it again at the next start. A message without a position
      // in the stream keeps waiting at the broker.
      const isKept = evidence === 'accepted' && bring !== null;
      const told = isKept ? messageIds.filter((id) => entryById.get(id)?.cursor != null) : messageIds;
      for (const id of told) {
        if ((strengthById.get(id) ?? 0) >= strengthOf[evidence]) continue;
        strengthById.set(id, strengthOf[evidence]);
        queueReport(id, evidence, at);
      }
      if (!isKept) arrive(messageIds.flatMap((id) => entryById.get(id) ?? []));
      onChanged();
    },
    setReady(ready) {
      isReady = ready;
      if (!ready) for (const entry of queue) if (entry.phase === 'on its way') entry.phase = 'waiting';
      onChanged();
      if (ready) void pump();
      if (ready && offer !== null) void show(offer);
    },
    reportAgain() {
      for (const [id, { evidence, at }] of unreported) queueReport(id, evidence, at);
    },
    async flushReports(timeoutMs = reportTimeoutMs) {
      if (retry !== null) clearTimeout(retry);
      const late = Promise.withResolvers<void>();
      const timer = setTimeout(() => {
        areGivenUp = true;
        late.resolve();
      }, timeoutMs);
      await Promise.race([reporting, late.promise]);
      clearTimeout(timer);
      await state.flush();
    },
  };
}
