/** A call that is sent again while another machine takes over (docs/specification/command-line.md#several-addresses). */
import { setTimeout as pause } from 'node:timers/promises';
import type { Send, WireReply, WireRequest } from '#protocol/client.ts';
import { ConnectionError } from './connection-error.ts';
import { fieldsOf, parsedJson } from './untrusted-json.ts';

/** For as long as a takeover may take. */
const patienceMs = 10_000;
/** As `Retry-After` says. */
const againMs = 1000;

/** Refusals of a machine that is not the active one now: it did nothing. */
const isMoving = (status: number, body: string): boolean =>
  status === 503 && ['standing_by', 'not_confirmed'].includes(String(fieldsOf(parsedJson(body)).reason));

/** It is done once however often it arrives, or it changes nothing and its answer will not be late again. */
const mayRepeat = ({ method, headers }: WireRequest, { reason }: ConnectionError): boolean =>
  headers['idempotency-key'] !== undefined || (method === 'GET' && reason === 'broken');

export interface RepeatingOptions {
  /** Sends it once and calls `onConnected` when there is a connection. @throws ConnectionError. */
  attempt(wire: WireRequest, onConnected: () => void): Promise<WireReply>;
  /** Whether there are other addresses of the broker. */
  hasOthers(): boolean;
  /** Ends the waiting. */
  signal: AbortSignal | undefined;
}

/**
 * Sends a call again for up to 10 s while no machine of the team answers, and once if the answer to a call was lost that may be
 * repeated. @throws ConnectionError: the one of a call that may have arrived, rather than a later one.
 */
export function createRepeatingSend({ attempt, hasOthers, signal }: RepeatingOptions): Send {
  return async (wire) => {
    const giveUpAt = performance.now() + patienceMs;
    let lost: unknown = null;
    for (;;) {
      let isConnected = false;
      try {
        const reply = await attempt(wire, () => {
          isConnected = true;
        });
        const body = await reply.text();
        if (!isMoving(reply.status, body) || performance.now() > giveUpAt) return reply;
      } catch (error) {
        if (!(error instanceof ConnectionError) || signal?.aborted) throw lost ?? error;
        if (isConnected && error.mayHaveArrived) {
          if (lost !== null || !mayRepeat(wire, error)) throw lost ?? error;
          lost = error;
          continue;
        }
        if (isConnected || error.reason === 'tls' || !hasOthers() || performance.now() > giveUpAt)
          throw lost ?? error;
      }
      await pause(againMs, undefined, { signal }).catch(() => undefined);
    }
  };
}
