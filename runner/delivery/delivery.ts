/**
 * Carries out what the state machine of the delivery decides: brings messages to the agent, reports evidence that
 * never claims more than was observed, and notes the position of the stream
 * (specification/runner.md#bringing-messages-to-the-model).
 */
import type { Message } from '#protocol/message.ts';
import type { Evidence } from '#protocol/receipt.ts';
import type { Bundle, ClaimedBundle } from '../agents/agent.ts';
import type { CarriedTexts } from '../gateway/carried-texts.ts';
import type { ModelReply } from '../gateway/model-reply.rules.ts';
import type { RunState } from '../session/run-state.ts';
import { messageHead } from '../toolbox/message-head.rules.ts';
import { bundled } from './bundle-size.rules.ts';
import { hasWakingIn, isWaiting, type MessageEntry } from './delivery-entry.rules.ts';
import { type DeliveryEvent, step } from './delivery-machine.rules.ts';
import {
  deliveryStart,
  type Effect,
  isOpen,
  type Note,
  openEntries,
  openEntry,
} from './delivery-state.rules.ts';
import {
  bundleText,
  type MessageContext,
  type Received,
  reminderText,
  shownText,
} from './message-block.rules.ts';
import { answerOf, outcomeOf } from './model-events.rules.ts';
import { type Refusal, refusalOfWords, retryDelay, type TurnFailure } from './model-refusal.rules.ts';
import { createReceiptReports } from './receipt-reports.ts';

export interface Delivery {
  /**
   * Adds a message for the model; a known one is dropped. `cursor`: its position in the stream, if it came
   * from there.
   */
  add(message: Message, cursor: string | null): void;
  /** A message that is not for the model, such as the agent's own: the stream's position moves past it. */
  pass(cursor: string, messageId: string): void;
  /** Whether this message came and the model has it: only then can a post that names it be an answer to it. */
  isSettled(messageId: string): boolean;
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
   * `accepted` when the agent has accepted the text. As many as fit into `maxCharacters` of text, and at least `fewest` of them.
   */
  claimBundle(maxCharacters?: number, fewest?: number): Promise<ClaimedBundle | null>;
  /** These were not accepted after all: they wait again. */
  putBack(messageIds: readonly string[]): void;
  /** Precedes the first bundle, and is brought by itself if nothing waits. */
  beginWith(note: Note | null): void;
  /** More than that the agent's process accepted a message will be proven, so that does not settle it. */
  awaitProof(): void;
  onEvidence(messageIds: readonly string[], state: Evidence | 'offered'): void;
  /** How many turns of the agent have ended, by which the replies of its model are put in order. */
  readonly turn: number;
  /** The gateway saw an exchange of the agent's conversation, which began in this turn. */
  onReply(reply: ModelReply, carried: CarriedTexts, turn: number): void;
  /** The agent's own words, see AgentEvents. */
  onOutcome(messageIds: readonly string[], failure: TurnFailure | null): void;
  onSetback(failure: TurnFailure): void;
  /** The result of a tool carried these messages to the agent. */
  onCarried(messageIds: readonly string[]): void;
  /** The beginnings of messages for which the gateway looks in results of tools. */
  wantedTexts(): readonly string[];
  /** Sets whether messages can be delivered to the agent. When that ends, messages without proof wait again. */
  setReady(isReady: boolean): void;
  /** The broker is available again: reports the receipts that did not reach it. */
  reportAgain(): void;
  /** Makes no further attempt. */
  stop(): void;
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
  /** The model refuses, again or for the first time; null: it works. */
  onRefusal(refusal: Refusal | null): void;
  now: () => number;
  /** In [0, 1). */
  random: () => number;
  /** Calls it after this time. Returns how to cancel that. */
  schedule(delayMs: number, attempt: () => void): () => void;
  log: (event: string, data?: object) => void;
}

const pauseMs = 1000;
const reportTimeoutMs = 3000;
/** The most offered messages that are remembered. */
const maxOffered = 5000;
/** How often a message is shown in full to one process of the agent, whose conversation keeps it. */
const maxShown = 2;

export function createDelivery(deps: DeliveryDeps): Delivery {
  const { state, messageContext, wakes, onHandOver, bring, offer = null, now, random, schedule, log } = deps;
  let machine = deliveryStart(bring !== null);
  const offered = new Set<string>();
  let isOffering = false;
  let pause: NodeJS.Timeout | null = null;
  let cancelAttempt = (): void => undefined;
  let onChanged = (): void => undefined;

  const receipts = createReceiptReports({
    report: deps.report,
    onReported(id, evidence) {
      if (evidence === 'accepted' && machine.isProofAwaited) return;
      state.forget([id]);
      // A run that is killed now must know that the broker does not deliver it again.
      noteState(state.flush());
    },
    now,
    log,
  });

  function apply(event: DeliveryEvent): void {
    const { state: next, effects } = step(machine, event);
    machine = next;
    for (const effect of effects) perform(effect);
    if (effects.some(({ kind }) => kind === 'moved')) noteState(state.flush());
    onChanged();
  }

  function perform(effect: Effect): void {
    switch (effect.kind) {
      case 'bring':
        void bringToAgent(effect);
        return;
      case 'pause':
        pause ??= setTimeout(() => {
          pause = null;
          apply({ kind: 'pause over' });
        }, pauseMs);
        return;
      case 'report':
        receipts.add(effect.id, effect.evidence);
        return;
      case 'moved':
        state.moveTo(effect.cursor, effect.id);
        return;
      case 'counted':
        state.countBefore(effect.before);
        return;
      case 'schedule': {
        const delayMs = retryDelay(effect.failures, effect.until, now(), random());
        log('the next attempt is scheduled', { delayMs, ids: effect.ids });
        cancelAttempt();
        cancelAttempt = schedule(delayMs, () => apply({ kind: 'attempt due' }));
        return;
      }
      case 'cancel':
        cancelAttempt();
        return;
      case 'refusal':
        deps.onRefusal(effect.refusal);
        return;
      case 'log':
        log(effect.event, effect.data);
    }
  }

  const noteState = (noted: Promise<void>): void =>
    void noted.catch((err: unknown) => log('state was not written', { err: String(err) }));

  const receivedOf = (entries: readonly MessageEntry[]): Received[] =>
    entries.map(({ message }) => ({ message, again: state.wasHandedOver(message.id) }));

  const textOf = (entries: readonly MessageEntry[], older: number): string =>
    entries.every(({ shown }) => shown >= maxShown)
      ? reminderText(entries.length)
      : bundleText(receivedOf(entries), messageContext(), older);

  function bundleOf(entries: readonly MessageEntry[], note: Note | null, older: number): ClaimedBundle {
    return {
      messageIds: entries.map(({ id }) => id),
      text: [note?.text ?? [], entries.length === 0 ? [] : textOf(entries, older)].flat().join('\n\n'),
      shown: shownText(receivedOf(entries), messageContext()),
      messages: entries.map(({ message }) => message),
    };
  }

  /** Marks its messages as handed over on disk before a byte of them leaves. */
  async function handOver(bundle: ClaimedBundle): Promise<ClaimedBundle> {
    onHandOver(bundle.messageIds);
    await state.handOver(bundle.messageIds);
    return bundle;
  }

  async function bringToAgent({ ids, note, older }: Extract<Effect, { kind: 'bring' }>): Promise<void> {
    try {
      const entries = ids.flatMap((id) => openEntry(machine, id) ?? []);
      const bundle = await handOver(bundleOf(entries, note, older));
      log('sending messages to the agent', { ids });
      await bring?.(bundle);
    } catch (error) {
      log('the agent did not accept messages', { ids, reason: String(error) });
      return apply({ kind: 'not brought' });
    }
    apply({ kind: 'brought' });
  }

  const waiting = (): MessageEntry[] => machine.entries.filter(isWaiting);

  async function claim(entries: readonly MessageEntry[]): Promise<ClaimedBundle> {
    const { older } = machine;
    const bundle = bundleOf(entries, null, older);
    const ids = bundle.messageIds;
    apply({ kind: 'claimed', ids, older });
    return handOver(bundle).catch((error: unknown) => {
      apply({ kind: 'put back', ids });
      throw error;
    });
  }

  /** Shows each message once; the repeat by a hook then says `again`. */
  async function show(): Promise<void> {
    if (offer === null || !machine.isReady || isOffering) return;
    isOffering = true;
    try {
      for (;;) {
        const entries = waiting().filter(({ id }) => !offered.has(id));
        if (!entries.some((entry) => entry.wakes)) return;
        const bundle = await claim(entries.slice(0, 1));
        apply({ kind: 'put back', ids: bundle.messageIds });
        if (!offer(bundle)) return;
        for (const id of bundle.messageIds) offered.add(id);
        for (const id of offered) if (offered.size > maxOffered) offered.delete(id);
        log('evidence', { ids: bundle.messageIds, evidence: 'offered' });
      }
    } catch (error) {
      log('a message was not offered', { reason: String(error) });
    } finally {
      isOffering = false;
    }
  }

  const headOf = (messageId: string): string[] => {
    const entry = openEntry(machine, messageId);
    return entry === undefined ? [] : [messageHead(entry.message)];
  };

  /** Only what the agent may have got can be carried by an exchange. */
  const mayHaveReached = (messageId: string): boolean => {
    const entry = openEntry(machine, messageId);
    return entry !== undefined && (entry.phase !== 'waiting' || state.wasHandedOver(messageId));
  };

  return {
    add(message, cursor) {
      apply({ kind: 'added', message, cursor, wakes: wakes(message) });
      void show();
    },
    pass: (cursor, id) => apply({ kind: 'passed', id, cursor }),
    isSettled: (id) => machine.arrived.includes(id),
    waits: (id) => openEntry(machine, id)?.phase === 'waiting',
    addOlder: (count) => apply({ kind: 'older', count }),
    get unread() {
      return waiting().length + machine.older;
    },
    get unsettled() {
      return openEntries(machine).length + machine.older;
    },
    get hasWaking() {
      return hasWakingIn(machine.entries);
    },
    get hasWaiting() {
      return machine.isReady && machine.gate !== 'closed' && hasWakingIn(machine.entries);
    },
    watch(listener) {
      onChanged = listener;
    },
    async claimBundle(maxCharacters = Number.POSITIVE_INFINITY, fewest = 0) {
      let entries = bundled(waiting());
      while (entries.length > fewest && textOf(entries, machine.older).length > maxCharacters)
        entries = entries.slice(0, -1);
      return entries.length === 0 ? null : claim(entries);
    },
    putBack: (ids) => apply({ kind: 'put back', ids }),
    beginWith: (note) => apply({ kind: 'noted', note }),
    awaitProof: () => apply({ kind: 'proof awaited' }),
    onEvidence(ids, evidence) {
      if (evidence === 'offered') log('evidence', { ids, evidence });
      else apply({ kind: 'evidence', ids, evidence });
    },
    get turn() {
      return machine.turn;
    },
    onReply(reply, carried, turn) {
      const byTool = machine.carried.filter((id) => headOf(id).some((head) => carried.texts.has(head)));
      const ids = [...[...carried.ids].filter(mayHaveReached), ...byTool];
      apply({ kind: 'reply', answer: answerOf(reply, now()), ids, turn });
    },
    onOutcome: (ids, failure) => apply(outcomeOf(ids, failure)),
    onSetback: (failure) => apply({ kind: 'setback', refusal: refusalOfWords(failure) }),
    onCarried(messageIds) {
      const ids = messageIds.filter((id) => isOpen(machine, id));
      apply({ kind: 'carried', ids });
      onHandOver(ids);
      if (!machine.isProofAwaited) return;
      noteState(state.handOver(ids));
    },
    wantedTexts: () => [...new Set(machine.carried.flatMap(headOf))],
    setReady(isReady) {
      apply({ kind: 'ready', isReady });
      void show();
    },
    reportAgain: receipts.repeat,
    stop: () => cancelAttempt(),
    async flushReports(timeoutMs = reportTimeoutMs) {
      if (pause !== null) clearTimeout(pause);
      await receipts.flush(timeoutMs);
      await state.flush();
    },
  };
}
