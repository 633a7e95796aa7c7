/**
 * Pushes in transit, beside the broker's own work: in order per subscription, few at once, limited in number,
 * and paused for as long as the push service asks. What does not fit is dropped, because the message itself
 * is in the store (specification/web-push.md#sending).
 */
import { reasonOf } from '#platform/error-text.ts';
import type { Clock } from '../../runtime/clock.ts';
import { createSlots } from '../../runtime/slots.ts';
import type { PushReply } from './push-request.ts';
import { fateOf, retryDelayMs } from './web-push.rules.ts';

export interface PushQueue {
  add(subscriptionId: string, payload: string): void;
  /** Drops what waits for a subscription that ended or moved to another member. */
  drop(subscriptionId: string): void;
  /** The number of waiting payloads. */
  readonly waiting: number;
  /** Stops at once; what waits is dropped. */
  close(): Promise<void>;
}

export interface PushQueueDeps {
  clock: Clock;
  /** Returns whose subscription it is; null if it no longer exists. */
  memberOf: (subscriptionId: string) => string | null;
  /** Sends one push; null if the subscription no longer exists. */
  send: (subscriptionId: string, payload: string, signal: AbortSignal) => Promise<PushReply | null>;
  /** The push service says that the subscription has ended. */
  onGone: (subscriptionId: string) => Promise<void>;
  onDropped: (subscriptionId: string, why: string) => void;
}

const maxWaiting = 2000;
const maxWaitingPerLine = 50;
const maxAtOnce = 8;
/** A member with slow or hostile push services must not use up what all share. */
const maxAtOncePerMember = 2;
const maxTries = 5;

interface Line {
  id: string;
  payloads: string[];
  failures: number;
  isSending: boolean;
  pause: NodeJS.Timeout | null;
}

export function createPushQueue({ clock, memberOf, send, onGone, onDropped }: PushQueueDeps): PushQueue {
  const slots = createSlots(() => maxAtOncePerMember);
  const lineById = new Map<string, Line>();
  /** Lines with something to send now, in turn. */
  const ready = new Set<Line>();
  const underWay = new Set<Promise<void>>();
  const closed = new AbortController();
  let waiting = 0;

  function forget(line: Line): void {
    waiting -= line.payloads.length;
    line.payloads = [];
    if (line.pause !== null) clearTimeout(line.pause);
    line.pause = null;
    ready.delete(line);
    if (lineById.get(line.id) === line) lineById.delete(line.id);
  }

  function shift(line: Line): void {
    if (line.payloads.shift() !== undefined) waiting -= 1;
    line.failures = 0;
  }

  function pause(line: Line, retryAfter: string | undefined): void {
    line.failures += 1;
    if (line.failures >= maxTries) {
      onDropped(line.id, 'the push service kept failing');
      shift(line);
    }
    const delayMs = retryDelayMs(Math.max(line.failures, 1), retryAfter, clock());
    line.pause = setTimeout(() => {
      line.pause = null;
      next(line);
    }, delayMs).unref();
  }

  async function sendFirst(line: Line, payload: string): Promise<void> {
    const reply = await send(line.id, payload, closed.signal);
    // Dropped in the meantime: another line may have taken its place.
    if (closed.signal.aborted || lineById.get(line.id) !== line) return;
    if (reply === null) return forget(line);
    if (reply.refused) {
      onDropped(line.id, 'its address is not a public one');
      return shift(line);
    }
    switch (fateOf(reply.status)) {
      case 'delivered':
        return shift(line);
      case 'gone':
        forget(line);
        return onGone(line.id);
      case 'dropped':
        onDropped(line.id, `the push service answered ${reply.status}`);
        return shift(line);
      case 'retry':
        return pause(line, reply.retryAfter);
    }
  }

  function next(line: Line): void {
    if (line.isSending || line.pause !== null) return;
    if (line.payloads.length > 0) ready.add(line);
    else if (lineById.get(line.id) === line) lineById.delete(line.id);
    pump();
  }

  function pump(): void {
    for (const line of ready) {
      if (underWay.size >= maxAtOnce || closed.signal.aborted) return;
      const [payload] = line.payloads;
      // The end of one of the member's pushes calls this again.
      const giveBack = payload === undefined ? null : slots.take(memberOf(line.id) ?? '');
      if (payload !== undefined && giveBack === null) continue;
      ready.delete(line);
      if (payload === undefined) continue;
      line.isSending = true;
      // Encryption waits for the end of this turn, so that replies and streams go first.
      const sending = new Promise<void>((resolve) => setImmediate(resolve))
        .then(() => sendFirst(line, payload))
        .catch((error: unknown) => {
          onDropped(line.id, reasonOf(error));
          shift(line);
        })
        .finally(() => {
          line.isSending = false;
          giveBack?.();
          underWay.delete(sending);
          if (!closed.signal.aborted) next(line);
        });
      underWay.add(sending);
    }
  }

  return {
    get waiting() {
      return waiting;
    },
    add(id, payload) {
      if (closed.signal.aborted) return;
      const line = lineById.get(id) ?? { id, payloads: [], failures: 0, isSending: false, pause: null };
      if (waiting >= maxWaiting || line.payloads.length >= maxWaitingPerLine) {
        onDropped(id, 'too many wait');
        return;
      }
      lineById.set(id, line);
      line.payloads.push(payload);
      waiting += 1;
      next(line);
    },
    drop(id) {
      const line = lineById.get(id);
      if (line !== undefined) forget(line);
    },
    async close() {
      closed.abort();
      for (const line of lineById.values()) forget(line);
      await Promise.all(underWay);
    },
  };
}
