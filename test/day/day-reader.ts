/**
 * The stream of a member on the day: it keeps its cursor, reconnects by itself while it is wanted, and can
 * stay away.
 */
import type { IncomingMessage } from 'node:http';
import { subscribe } from '../testing/subscription.ts';

export interface WireMessage {
  id: string;
  from: string;
  to: string | null;
  body: string;
  data: { event?: { objectiveId: string; seq: number } };
}

export interface DayReader {
  /** Over all connections, in the order of arrival. */
  readonly received: readonly WireMessage[];
  /** The faults of the broker. */
  readonly faults: readonly string[];
  /**
   * Resolves when this connection has reported its position. @throws Error if the reader is connected
   * already: a second connection would receive everything twice.
   */
  connect(): Promise<void>;
  disconnect(): void;
  /** Breaks the connection. The reader reconnects by itself. */
  cut(): void;
  /** Reads nothing more from its connection until `resume`. */
  pause(): void;
  resume(): void;
  /** How often the broker said `bye`. */
  readonly byes: number;
  /** Resolves when a message with this body is the last one received; rejects after `withinMs`. */
  untilLast(body: string, withinMs: number): Promise<void>;
}

const againMs = 15;

export function createDayReader(url: () => string, member: string, token: () => string): DayReader {
  const received: WireMessage[] = [];
  const faults: string[] = [];
  const waiting = new Set<() => void>();
  let byes = 0;
  let isPaused = false;
  let cursor: string | undefined;
  let isWanted = false;
  let connection: IncomingMessage | null = null;
  /** Counts how often it was told to stay away, so that what an earlier connection still sends is ignored. */
  let turn = 0;
  let becomeReady: () => void = () => undefined;

  function open(mine: number): void {
    if (!isWanted || mine !== turn) return;
    const isHeard = (): boolean => mine === turn;
    subscribe({
      url: url(),
      member,
      token: token(),
      cursor,
      onOpen(opened) {
        connection = opened;
        if (isPaused) opened.pause();
      },
      onBye() {
        byes += 1;
      },
      onReady(at) {
        if (!isHeard()) return;
        cursor ??= at;
        becomeReady();
      },
      onMessage(data, at) {
        if (!isHeard()) return;
        received.push(JSON.parse(data));
        cursor = at;
        for (const look of waiting) look();
      },
      onFault(fault) {
        if (isHeard()) faults.push(fault);
      },
      onClose: () => setTimeout(open, againMs, mine),
    });
  }

  return {
    received,
    faults,
    get byes() {
      return byes;
    },
    connect() {
      if (isWanted) throw new Error(`the stream of ${member} is open already`);
      isWanted = true;
      const ready = new Promise<void>((resolve) => {
        becomeReady = resolve;
      });
      open(turn);
      return ready;
    },
    disconnect() {
      isWanted = false;
      turn += 1;
      connection?.destroy();
    },
    cut: () => connection?.destroy(),
    pause() {
      isPaused = true;
      connection?.pause();
    },
    resume() {
      isPaused = false;
      connection?.resume();
    },
    untilLast: (body, withinMs) =>
      new Promise((resolve, reject) => {
        const overdue = setTimeout(() => {
          waiting.delete(look);
          reject(new Error(`the stream of ${member} did not get “${body}”; ${faults.join('; ')}`));
        }, withinMs);
        const look = () => {
          if (received.at(-1)?.body !== body) return;
          clearTimeout(overdue);
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
  };
}
