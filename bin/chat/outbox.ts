/**
 * Typed lines that are not acknowledged yet: sent in order, one at a time, each exactly once
 * (specification/api.md#idempotency).
 */

import { randomUUID } from 'node:crypto';
import type { BrokerClient } from '#protocol/client.ts';
import type { Message } from '#protocol/message.ts';
import { CommandFailure } from '../command-failure.ts';
import { heldLine } from '../outgoing-message.ts';
import { untilAnswered } from './until-answered.ts';

export interface OutboxOptions {
  client: BrokerClient;
  /** Stops sending; the remaining lines stay in `waiting`. */
  signal: AbortSignal;
  onAcknowledged(message: Message): void;
  /** The broker refuses this one. The next ones are sent. */
  onRefused(body: string, error: unknown): void;
  /** It has to wait, and is kept. */
  onDelay(reason: string): void;
}

/** A message to a member, to a channel by its thread, or to everybody. */
export interface Outgoing {
  body: string;
  to?: string;
  data?: { thread: string };
  attachments?: string[];
}

export interface Outbox {
  add(payload: Outgoing): void;
  /** Not acknowledged yet, oldest first. */
  readonly waiting: readonly string[];
  /** Resolves when at most `count` are waiting, or when sending was stopped. */
  drainTo(count: number): Promise<void>;
  /** Resolves when the one that is being sent, if any, is acknowledged or refused. */
  settled(): Promise<void>;
  /** The connection is back: do not wait for the delay. */
  nudge(): void;
}

export function createOutbox(options: OutboxOptions): Outbox {
  const { client, signal, onAcknowledged, onRefused, onDelay } = options;
  const queue: { payload: Outgoing; key: string }[] = [];
  let progress = Promise.withResolvers<void>();
  let nudged = Promise.withResolvers<void>();
  let running = false;

  async function send({ payload, key }: { payload: Outgoing; key: string }): Promise<void> {
    // The key is created once per line, so that a repeat after a lost answer is delivered once.
    const headers = { 'idempotency-key': key };
    const push = () => client.call('push', { body: payload, headers });
    const answer = await untilAnswered(push, { signal, onDelay, nudge: () => nudged.promise }).catch(
      (error: unknown) => ({ error }),
    );
    if ('error' in answer) {
      if (signal.aborted) return;
      onRefused(payload.body, answer.error);
    } else if (answer.held === undefined) onAcknowledged(answer.message);
    else onRefused(payload.body, new CommandFailure(heldLine(answer.held.id)));
    queue.shift();
  }

  async function run(): Promise<void> {
    if (running) return;
    running = true;
    while (!signal.aborted && queue[0] !== undefined) {
      await send(queue[0]);
      progress.resolve();
      progress = Promise.withResolvers();
    }
    running = false;
  }
  signal.addEventListener('abort', () => progress.resolve());

  return {
    get waiting() {
      return queue.map(({ payload }) => payload.body);
    },
    add(payload) {
      queue.push({ payload, key: randomUUID() });
      void run();
    },
    async drainTo(count) {
      while (queue.length > count && !signal.aborted) await progress.promise;
    },
    async settled() {
      if (queue.length > 0 && !signal.aborted) await progress.promise;
    },
    nudge() {
      nudged.resolve();
      nudged = Promise.withResolvers();
    },
  };
}
