/**
 * The way of a message from the stream to the model (design "Bringing a message to the model"): in order, bundled while the agent is
 * busy, at least once, and with evidence that never says more than was seen.
 */
import type { Message } from '#protocol/message.ts';
import type { Evidence } from '#protocol/receipt.ts';
import type { Bundle } from '../agents/agent.ts';
import type { RunState } from '../session/run-state.ts';
import { bundleText, type Received, type Surroundings } from './message-block.rules.ts';

export interface Delivery {
  /** A message for the model; one that is known already is dropped. `cursor`: its place in the stream, where it came from there. */
  add(message: Message, cursor: string | null): void;
  /** How many older messages wait at the broker that are not handed over; told once. */
  addOlder(count: number): void;
  /** Messages that the agent's process has not taken. */
  readonly unread: number;
  /** What waits, as text for a channel of the agent's own asking (a hook, a hint); it counts as `accepted` when the agent took the text. */
  take(): Promise<Bundle | null>;
  onEvidence(messageIds: readonly string[], state: Evidence | 'offered'): void;
  /** The agent can be brought messages, or no longer. What was not proven then waits again. */
  setReady(isReady: boolean): void;
  /** Resolves when nothing is on its way and every receipt was reported or given up. */
  settle(): Promise<void>;
}

export interface DeliveryDeps {
  state: RunState;
  surroundings: () => Surroundings;
  /** Brings a bundle to the model; rejects when the agent did not take it. Null where the agent cannot be woken. */
  bring: ((bundle: Bundle) => Promise<void>) | null;
  /** Reports evidence to the broker. */
  report(messageId: string, state: Evidence, at: number): Promise<void>;
  now: () => number;
  log: (event: string, data?: object) => void;
}

const bundleMessages = 20;
const bundleCharacters = 60_000;
const retryMs = 1000;
/** So many that arrived are remembered, to know a repeat from something new. */
const arrivedKept = 5000;
const strengthOf: Record<Evidence, number> = { accepted: 1, in_context: 2, answered: 3 };

interface Entry {
  message: Message;
  cursor: string | null;
  phase: 'waiting' | 'on its way' | 'arrived';
}

export function createDelivery(deps: DeliveryDeps): Delivery {
  const { state, surroundings, bring, report, now, log } = deps;
  /** In the order they came; those that arrived leave from the front, which is what the cursor follows. */
  let queue: Entry[] = [];
  const entryById = new Map<string, Entry>();
  const strengthById = new Map<string, number>();
  let older = 0;
  let isReady = false;
  let isBringing = false;
  let reporting: Promise<void> = Promise.resolve();
  let retry: NodeJS.Timeout | null = null;

  const isWaiting = ({ phase }: Entry): boolean => phase === 'waiting';

  /** As many as fit one bundle, in order; a single large one goes alone. */
  function nextEntries(): Entry[] {
    const entries: Entry[] = [];
    let size = 0;
    for (const entry of queue) {
      if (!isWaiting(entry)) continue;
      size += entry.message.body.length;
      if (entries.length === bundleMessages || (entries.length > 0 && size > bundleCharacters)) break;
      entries.push(entry);
    }
    return entries;
  }

  /** Marks them as handed over on disk before a byte of them leaves. */
  async function bundleOf(entries: readonly Entry[]): Promise<Bundle> {
    const received = entries.map(
      ({ message }): Received => ({ message, again: state.wasHandedOver(message.id) }),
    );
    const messageIds = entries.map(({ message }) => message.id);
    const bundle = { messageIds, text: bundleText(received, surroundings(), older) };
    older = 0;
    for (const entry of entries) entry.phase = 'on its way';
    await state.handOver(messageIds);
    return bundle;
  }

  function arrive(entries: readonly Entry[]): void {
    for (const entry of entries) entry.phase = 'arrived';
    while (queue[0]?.phase === 'arrived') {
      const [{ cursor }] = queue as [Entry];
      queue = queue.slice(1);
      if (cursor !== null) state.moveTo(cursor);
    }
    for (const [id, { phase }] of entryById) {
      if (entryById.size <= arrivedKept) break;
      if (phase === 'arrived') entryById.delete(id);
    }
    for (const id of strengthById.keys()) {
      if (strengthById.size <= arrivedKept) break;
      strengthById.delete(id);
    }
    void state.flush().catch((err: unknown) => log('state was not written', { err: String(err) }));
  }

  async function pump(): Promise<void> {
    if (isBringing || bring === null) return;
    isBringing = true;
    try {
      while (isReady) {
        const entries = nextEntries();
        if (entries.length === 0) return;
        const bundle = await bundleOf(entries);
        log('bringing messages', { ids: bundle.messageIds });
        try {
          await bring(bundle);
        } catch (error) {
          log('the agent did not take messages', { ids: bundle.messageIds, reason: String(error) });
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

  function tell(messageId: string, evidence: Evidence, at: number): void {
    reporting = reporting.then(() =>
      report(messageId, evidence, at).catch((error: unknown) =>
        log('a receipt was not reported', { messageId, evidence, reason: String(error) }),
      ),
    );
  }

  return {
    add(message, cursor) {
      const known = entryById.get(message.id);
      if (known !== undefined) {
        known.cursor ??= cursor;
        return;
      }
      const entry: Entry = { message, cursor, phase: 'waiting' };
      entryById.set(message.id, entry);
      queue.push(entry);
      void pump();
    },
    addOlder(count) {
      older += count;
    },
    get unread() {
      return queue.filter(isWaiting).length;
    },
    async take() {
      const entries = nextEntries();
      return entries.length === 0 ? null : bundleOf(entries);
    },
    onEvidence(messageIds, evidence) {
      log('evidence', { ids: messageIds, evidence });
      if (evidence === 'offered') return;
      const at = now();
      for (const id of messageIds) {
        if ((strengthById.get(id) ?? 0) >= strengthOf[evidence]) continue;
        strengthById.set(id, strengthOf[evidence]);
        tell(id, evidence, at);
      }
      state.settle(messageIds);
      arrive(messageIds.flatMap((id) => entryById.get(id) ?? []));
    },
    setReady(ready) {
      isReady = ready;
      if (!ready) for (const entry of queue) if (entry.phase === 'on its way') entry.phase = 'waiting';
      if (ready) void pump();
    },
    async settle() {
      if (retry !== null) clearTimeout(retry);
      await reporting;
      await state.flush();
    },
  };
}
