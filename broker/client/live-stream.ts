/** A member's messages as they arrive, across every interruption (specification/streams.md). */
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { errorOf, requestOf } from '#protocol/client.ts';
import { BrokerError } from '#protocol/errors.ts';
import { limits } from '#protocol/limits.ts';
import { Message } from '#protocol/message.ts';
import { ReadyFrame } from '#protocol/stream.ts';
import { ConnectionError } from './connection-error.ts';
import { createFrameReader, type Frame } from './frame-reader.ts';
import type { HttpClient } from './http-client.ts';
import type { ExchangeReply } from './http-exchange.ts';
import { reconnectDelay } from './reconnect-delay.rules.ts';

export type StreamState =
  /** Frames arrive from this cursor on; `resumed` if it is one that was given, or had been reached. */
  | { state: 'connected'; resumed: boolean; cursor: string }
  /** Not connected; the next attempt follows after `retryInMs`. */
  | { state: 'lost'; reason: string; retryInMs: number }
  /** The broker could not resume: what was missed is in the history, which must be read now. */
  | { state: 'reset'; cursor: string };

export interface FollowOptions {
  http: HttpClient;
  /** The caller's own member name. */
  name: string;
  /** Resume after this one; without it, from now on. */
  cursor?: string;
  /** Ends it. */
  signal: AbortSignal;
  /**
   * One at a time, in order; the next one waits until this has finished. An error that it throws ends the
   * stream, except for a temporary failure to reach the broker: then the connection counts as lost, and this message
   * comes again.
   */
  onMessage(message: Message, cursor: string): void | Promise<void>;
  /** Like onMessage: while a `connected` or `reset` is being handled, messages wait. */
  onState?(state: StreamState): void | Promise<void>;
  /**
   * Also requests receipts, presence, and changes, and passes on the event and its data as received
   * (specification/streams.md#news).
   */
  onNews?(event: string, data: string): void;
  /** How long a silent connection counts as alive. Three heartbeats by default. */
  silenceTimeoutMs?: number;
}

/**
 * Follows until the signal aborts, then resolves. It reconnects forever and resumes where it was, so that
 * each message is passed on once.
 * @throws BrokerError for what another attempt cannot fix: the token, the name, or the request was refused (a
 *   4xx other than 408 and 429).
 * @throws ConnectionError `not a broker` for a message that this program cannot read.
 */
export async function followMessages(options: FollowOptions): Promise<void> {
  const { signal, onState } = options;
  const place: Place = { cursor: options.cursor, retryMs: limits.stream.retryMs, failures: 0 };
  while (!signal.aborted) {
    const lost = await followOnce(options, place);
    if (signal.aborted) return;
    const retryInMs = reconnectDelay({ ...place, ...lost }, Math.random());
    place.failures++;
    await onState?.({ state: 'lost', reason: lost.reason, retryInMs });
    await pause(retryInMs, undefined, { signal }).catch(() => {});
  }
}

/** The state that outlives one connection. */
interface Place {
  cursor: string | undefined;
  retryMs: number;
  failures: number;
}
interface Lost {
  reason: string;
  retryAfterMs: number;
}

/** One connection, until it ends. Resolves with the reason; throws what is final. */
async function followOnce(options: FollowOptions, place: Place): Promise<Lost> {
  const { http, name, signal, silenceTimeoutMs = 3 * limits.stream.heartbeatMs } = options;
  const connection = new AbortController();
  try {
    const request = requestOf('subscribe', {
      query: { name, ...(options.onNews !== undefined && { events: 'all' as const }) },
      headers: {
        accept: 'text/event-stream',
        ...(place.cursor !== undefined && { 'last-event-id': place.cursor }),
      },
    });
    const response = await http.open(request, AbortSignal.any([signal, connection.signal]));
    if (response.status !== 200) return await withinSilence(refusal(response), silenceTimeoutMs, connection);
    if (!response.headers.get('content-type')?.startsWith('text/event-stream'))
      return lost(`${http.url} answered, and is not a broker`);
    const chunks = response.body();
    const frames = createFrameReader();
    for (;;) {
      const chunk = await withinSilence(chunks.next(), silenceTimeoutMs, connection);
      if (chunk.done) return lost('the broker closed the connection');
      const complete = frames.read(chunk.value);
      place.retryMs = Math.max(frames.retryMs ?? place.retryMs, 1);
      for (const frame of complete) {
        if (frame.event === 'bye') return lost('the broker ended the stream');
        await handleFrame(frame, options, place);
        if (signal.aborted) return lost('');
      }
    }
  } catch (error) {
    if (signal.aborted) return lost('');
    if (error instanceof Silence)
      return lost(`nothing came from the broker for ${silenceTimeoutMs / 1000} s`);
    if (error instanceof HandlerError) return passing(error.cause);
    if (error instanceof BrokerError) throw error;
    const explained = http.explain(error);
    if (explained.reason === 'not a broker') throw explained;
    return lost(explained.message);
  } finally {
    connection.abort();
  }
}

const lost = (reason: string, retryAfterMs = 0): Lost => ({ reason, retryAfterMs });

async function refusal(response: ExchangeReply): Promise<Lost> {
  const error = errorOf(response.status, await response.text(), response.headers.get('retry-after'));
  if (!passes(error) && error.status >= 400) throw error;
  return lost(error.message, (error.retryAfter ?? 0) * 1000);
}

const passes = ({ status }: BrokerError): boolean => status >= 500 || status === 408 || status === 429;

/**
 * A failure of a handler on its own way to the broker, such as a restart between the stream and its call.
 * @throws what no other attempt fixes.
 */
function passing(error: unknown): Lost {
  if (error instanceof BrokerError && passes(error))
    return lost(error.message, (error.retryAfter ?? 0) * 1000);
  if (error instanceof ConnectionError && error.reason !== 'not a broker') return lost(error.message);
  throw error;
}

class Silence extends Error {}

/** An error that the caller's own handler threw, which must not be treated as a lost connection. */
class HandlerError extends Error {}

async function withinSilence<T>(
  read: Promise<T>,
  silenceTimeoutMs: number,
  connection: AbortController,
): Promise<T> {
  const timer = setTimeout(() => connection.abort(new Silence()), silenceTimeoutMs);
  try {
    return await read;
  } finally {
    clearTimeout(timer);
  }
}

async function handleFrame(frame: Frame, options: FollowOptions, place: Place): Promise<void> {
  const { onMessage, onState } = options;
  if (frame.event === 'message') {
    const message = parsed(Message, frame, options.http.url);
    const cursor = frame.id ?? place.cursor ?? '';
    await handled(() => onMessage(message, cursor));
    if (frame.id !== undefined) place.cursor = frame.id;
  } else if (frame.event === 'ready') {
    const resumed = place.cursor !== undefined;
    // When resuming, the backlog is still to come: only its frames move the cursor.
    place.cursor ??= parsed(ReadyFrame, frame, options.http.url).cursor;
    const { cursor } = place;
    await handled(() => onState?.({ state: 'connected', resumed, cursor }));
    options.http.noteStream();
    place.failures = 0;
  } else if (frame.event === 'reset') {
    const { cursor } = parsed(ReadyFrame, frame, options.http.url);
    await handled(() => onState?.({ state: 'reset', cursor }));
    place.cursor = cursor;
  } else options.onNews?.(frame.event, frame.data);
}

async function handled(work: () => void | Promise<void>): Promise<void> {
  try {
    await work();
  } catch (cause) {
    throw new HandlerError('', { cause });
  }
}

function parsed<S extends z.ZodType>(schema: S, frame: Frame, url: string): z.output<S> {
  const read = z.string().transform(asJson).pipe(schema).safeParse(frame.data);
  if (read.success) return read.data;
  throw new ConnectionError(
    'not a broker',
    `${url} sent a "${frame.event}" event that this program cannot read`,
    'check that both have the same version',
  );
}

function asJson(text: string, context: z.RefinementCtx<string>): unknown {
  try {
    return JSON.parse(text);
  } catch {
    context.addIssue({ code: 'custom', message: 'is not JSON' });
    return z.NEVER;
  }
}
