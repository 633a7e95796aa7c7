/**
 * Pushes in transit, beside the broker's own work: in order per subscription, by turns of the members, few at
 * once, limited in number, and paused for as long as the push service asks. A push that does not fit is dropped,
 * because the message itself is in the store (specification/web-push.md#sending).
 */
import { reasonOf } from '#platform/error-text.ts';
import type { Clock } from '../../runtime/clock.ts';
import { loserFor, maySend, pushPlaces } from './push-places.rules.ts';
import type { PushReply } from './push-request.ts';
import { type PushFate, retryDelayMs } from './web-push.rules.ts';

export interface PushQueue {
  add(subscriptionId: string, payload: string): void;
  /** Drops what waits for a subscription that ended or moved to another member. */
  drop(subscriptionId: string): void;
  /** The number of waiting payloads. */
  readonly waiting: number;
  /** Stops at once; what waits is dropped. */
  close(): Promise<void>;
}

/** The end of an attempt. */
export type SentPush = PushReply & { fate: PushFate };

export interface PushQueueDeps {
  clock: Clock;
  /** Returns whose subscription it is; null if it no longer exists. */
  memberOf: (subscriptionId: string) => string | null;
  /** Sends one push; null if the subscription no longer exists. */
  send: (subscriptionId: string, payload: string, signal: AbortSignal) => Promise<SentPush | null>;
  /** The push service says that the subscription has ended. */
  onGone: (subscriptionId: string) => Promise<void>;
  onDropped: (subscriptionId: string, why: string) => void;
}

const maxTries = 5;

interface Waiting {
  payload: string;
  /** The lowest number has waited longest. */
  number: number;
}

/** The pushes to one subscription. The first payload stays in it while it is being sent. */
interface Line {
  id: string;
  owner: Owner;
  payloads: Waiting[];
  failures: number;
  isSending: boolean;
  pause: NodeJS.Timeout | null;
}

/** A member with a line, or with a push under way. */
interface Owner {
  name: string;
  lines: Set<Line>;
  /** Lines with something to send now, in turn. */
  ready: Set<Line>;
  /** Payloads in all lines. */
  waiting: number;
  sending: number;
}

export function createPushQueue({ clock, memberOf, send, onGone, onDropped }: PushQueueDeps): PushQueue {
  const lineById = new Map<string, Line>();
  const ownerByName = new Map<string, Owner>();
  /** Members with a line that is ready, in turn. */
  const turns = new Set<Owner>();
  const underWay = new Set<Promise<void>>();
  const closed = new AbortController();
  let waiting = 0;
  let added = 0;
  let isStarting = false;

  function ownerOf(name: string): Owner {
    const known = ownerByName.get(name);
    return known ?? { name, lines: new Set(), ready: new Set(), waiting: 0, sending: 0 };
  }

  function remember(owner: Owner, id: string): Line {
    const line: Line = { id, owner, payloads: [], failures: 0, isSending: false, pause: null };
    lineById.set(id, line);
    owner.lines.add(line);
    ownerByName.set(owner.name, owner);
    return line;
  }

  function setReady(line: Line, isReady: boolean): void {
    const { owner } = line;
    if (isReady) owner.ready.add(line);
    else owner.ready.delete(line);
    if (owner.ready.size > 0) turns.add(owner);
    else turns.delete(owner);
  }

  function remove(line: Line, at: number, count: number): void {
    const removed = line.payloads.splice(at, count).length;
    line.owner.waiting -= removed;
    waiting -= removed;
    if (at === 0) line.failures = 0;
  }

  const shift = (line: Line): void => remove(line, 0, 1);

  function forget(line: Line): void {
    const { owner } = line;
    remove(line, 0, line.payloads.length);
    if (line.pause !== null) clearTimeout(line.pause);
    line.pause = null;
    setReady(line, false);
    owner.lines.delete(line);
    if (lineById.get(line.id) === line) lineById.delete(line.id);
    if (owner.lines.size === 0 && owner.sending === 0) ownerByName.delete(owner.name);
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
    switch (reply.fate) {
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
    if (line.payloads.length === 0) forget(line);
    else {
      setReady(line, true);
      startSoon();
    }
  }

  /** Returns the line whose turn it is; undefined if none may send. */
  function takeTurn(): Line | undefined {
    for (const owner of turns) {
      if (!maySend(owner.sending, underWay.size)) continue;
      const [line] = owner.ready;
      if (line === undefined) continue;
      turns.delete(owner);
      setReady(line, false);
      return line;
    }
    return undefined;
  }

  /** One in each turn of the event loop, because of the encryption: replies and streams go first. */
  function startSoon(): void {
    if (isStarting) return;
    isStarting = true;
    setImmediate(() => {
      isStarting = false;
      const line = takeTurn();
      if (line === undefined) return;
      start(line);
      startSoon();
    });
  }

  function start(line: Line): void {
    const [first] = line.payloads;
    if (first === undefined) return;
    line.isSending = true;
    line.owner.sending += 1;
    const sending = sendFirst(line, first.payload)
      .catch((error: unknown) => {
        onDropped(line.id, reasonOf(error));
        shift(line);
      })
      .finally(() => {
        line.isSending = false;
        line.owner.sending -= 1;
        underWay.delete(sending);
        if (closed.signal.aborted) return;
        next(line);
        startSoon();
      });
    underWay.add(sending);
  }

  /** Drops the oldest push of the owner that is not being sent. */
  function dropOldest(owner: Owner): void {
    let oldest: { line: Line; at: number; number: number } | null = null;
    for (const line of owner.lines) {
      const at = line.isSending ? 1 : 0;
      const number = line.payloads[at]?.number;
      if (number !== undefined && (oldest === null || number < oldest.number)) oldest = { line, at, number };
    }
    if (oldest === null) return;
    remove(oldest.line, oldest.at, 1);
    onDropped(oldest.line.id, 'too many wait');
    next(oldest.line);
  }

  return {
    get waiting() {
      return waiting;
    },
    add(id, payload) {
      const name = memberOf(id);
      if (closed.signal.aborted || name === null) return;
      const owner = ownerOf(name);
      const isLineFull = (lineById.get(id)?.payloads.length ?? 0) >= pushPlaces.waitingPerSubscription;
      const loser = isLineFull ? null : loserFor(owner, ownerByName.values(), waiting);
      if (loser !== null) dropOldest(loser);
      if (isLineFull || waiting >= pushPlaces.waiting) {
        onDropped(id, 'too many wait');
        return;
      }
      const line = lineById.get(id) ?? remember(owner, id);
      line.payloads.push({ payload, number: added++ });
      owner.waiting += 1;
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
