/**
 * A stream reader as a careful client writes one: it keeps its cursor and resumes with it whenever the
 * connection ends.
 */
import type { IncomingMessage } from 'node:http';
import type { Message } from '#protocol/message.ts';
import { subscribe } from '../testing/subscription.ts';

export interface ResumingReader {
  readonly member: string;
  /** Everything that was received over all connections, in the order of arrival. */
  readonly received: readonly Message[];
  /** The faults of the broker: resets, and statuses other than 200. */
  readonly faults: readonly string[];
  readonly connections: number;
  /** Breaks the connection. The reader reconnects by itself. */
  cut(): void;
  /** Resolves when `count` messages have arrived; rejects after `withinMs`. */
  until(count: number, withinMs: number): Promise<void>;
  /** Resolves when the stream has reported its position for the first time. */
  readonly ready: Promise<void>;
  close(): void;
}

const againMs = 15;

/** `url`: of the broker, looked up for each connection. */
export function openResumingReader(
  url: string | (() => string),
  member: string,
  token: string,
): ResumingReader {
  const received: Message[] = [];
  const faults: string[] = [];
  const waiting = new Set<() => void>();
  let cursor: string | undefined;
  let connection: IncomingMessage | null = null;
  let connections = 0;
  let closed = false;
  let becomeReady: () => void = () => undefined;
  const ready = new Promise<void>((resolve) => {
    becomeReady = resolve;
  });

  const comeBack = () => {
    connection = null;
    if (!closed) setTimeout(connect, againMs);
  };

  function connect(): void {
    if (closed) return;
    subscribe({
      url: typeof url === 'string' ? url : url(),
      member,
      token,
      cursor,
      onOpen(opened) {
        connection = opened;
        connections += 1;
      },
      onReady(at) {
        cursor ??= at;
        becomeReady();
      },
      onMessage(data, at) {
        received.push(JSON.parse(data));
        cursor = at;
        for (const look of waiting) look();
      },
      onFault: (fault) => faults.push(fault),
      onClose: comeBack,
    });
  }
  connect();

  return {
    member,
    received,
    faults,
    get connections() {
      return connections;
    },
    ready,
    cut: () => connection?.destroy(),
    until: (count, withinMs) =>
      new Promise((resolve, reject) => {
        const overdue = setTimeout(() => {
          waiting.delete(look);
          reject(new Error(`a stream of ${member} holds ${received.length} of ${count} messages`));
        }, withinMs);
        const look = () => {
          if (received.length < count) return;
          clearTimeout(overdue);
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    close() {
      closed = true;
      connection?.destroy();
    },
  };
}
