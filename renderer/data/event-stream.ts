/**
 * A live stream in a browser. An EventSource could not send the secret of the session, so this reads the stream
 * with fetch and reconnects as an EventSource does: after an interruption with the last id, and never after a
 * refusal. A connection on which nothing arrives, not even a heartbeat, is one that died without a word.
 */
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { limits } from '#protocol/limits.ts';
import type { LiveRequest } from './transport.ts';

const firstRetryMs = 2000;
/** Four times the largest message as JSON. */
const maxBufferSize = 4 * 1024 * 1024;
const checksPerSilence = 9;

/**
 * `headers` is asked before each connection. `after`: the id of a frame after which the stream begins; undefined for new frames only. `silenceMs`: how long
 * a silent connection counts as alive, three heartbeats by default. Returns a function that closes the stream.
 */
export function openEventStream(
  { url, events, onEvent, onState }: LiveRequest,
  headers: () => Record<string, string>,
  after?: string,
  silenceMs: number = 3 * limits.stream.heartbeatMs,
): () => void {
  const closed = new AbortController();
  const { signal } = closed;
  let lastId = after;
  let retryMs = firstRetryMs;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let heardAt = 0;

  async function readAll(body: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<void> {
    const parser = new EventSourceParserStream({
      maxBufferSize,
      onRetry: (ms) => {
        retryMs = ms;
      },
    });
    const heard = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
      transform(chunk, out) {
        heardAt = Date.now();
        out.enqueue(chunk);
      },
    });
    const frames = body
      .pipeThrough(heard)
      .pipeThrough(new TextDecoderStream())
      .pipeThrough(parser)
      .getReader();
    for (;;) {
      const { done, value } = await frames.read();
      if (done || signal.aborted) return;
      if (value.id !== undefined) lastId = value.id;
      const event = value.event ?? 'message';
      if (events.includes(event))
        onEvent({ event, data: value.data, ...(value.id !== undefined && { id: value.id }) });
    }
  }

  async function connect(signal: AbortSignal): Promise<void> {
    const place = lastId === undefined ? {} : { 'last-event-id': lastId };
    const reply = await fetch(url, {
      headers: { ...headers(), ...place, accept: 'text/event-stream' },
      credentials: 'same-origin',
      cache: 'no-store',
      redirect: 'error',
      signal,
    });
    if (reply.status !== 200 || reply.body === null) {
      closed.abort();
      onState('refused');
      return;
    }
    onState('open');
    await readAll(reply.body);
  }

  function run(): void {
    const connection = new AbortController();
    heardAt = Date.now();
    // The clock also counts the time in which the machine sleeps and no timer runs.
    const watch = setInterval(() => {
      if (Date.now() - heardAt > silenceMs) connection.abort();
    }, silenceMs / checksPerSilence);
    connect(AbortSignal.any([signal, connection.signal]))
      // A connection that was lost, or a frame that nobody can read: both begin again after the last id.
      .catch(() => undefined)
      .finally(() => {
        clearInterval(watch);
        if (signal.aborted) return;
        onState('lost');
        timer = setTimeout(run, retryMs);
      });
  }

  onState('connecting');
  run();
  return () => {
    clearTimeout(timer);
    closed.abort();
  };
}
