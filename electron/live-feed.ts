/**
 * One live stream of the broker over its loopback listener, because a request without a socket cannot stream.
 * It resumes by itself.
 */
import { setTimeout as after } from 'node:timers/promises';
import { createFrameReader } from '#client/frame-reader.ts';
import { createHttpClient } from '#client/http-client.ts';

export type FeedState = 'connecting' | 'open' | 'lost' | 'refused';

export interface LiveFeedDeps {
  /** The broker's address. It is read for each attempt, because the broker may have another port. */
  address(): string;
  /** Path and query of the stream. */
  path: string;
  /** The session's headers; they are read for each attempt. */
  headers(): Record<string, string>;
  onEvent(event: string, data: string): void;
  onState(state: FeedState): void;
}

const firstWaitMs = 500;
const maxWaitMs = 15_000;

/**
 * Returns a function that closes the stream. The state `refused` is final: another attempt would fail, too.
 */
export function openLiveFeed({ address, path, headers, onEvent, onState }: LiveFeedDeps): () => void {
  const closing = new AbortController();
  const { signal } = closing;
  let lastId: string | undefined;
  let waitMs = firstWaitMs;
  void (async () => {
    onState('connecting');
    while (!signal.aborted) {
      const isRefused = await once().catch(() => false);
      if (signal.aborted) return;
      if (isRefused) return onState('refused');
      onState('lost');
      await after(waitMs, undefined, { signal }).catch(() => undefined);
      waitMs = Math.min(waitMs * 2, maxWaitMs);
    }
  })();
  return () => closing.abort();

  /** Returns true if the broker refuses the stream. */
  async function once(): Promise<boolean> {
    const http = createHttpClient({ url: address(), token: null });
    const request = {
      method: 'GET',
      url: path,
      headers: {
        accept: 'text/event-stream',
        ...headers(),
        ...(lastId !== undefined && { 'last-event-id': lastId }),
      },
    };
    const reply = await http.open(request, signal);
    const { status } = reply;
    if (status !== 200) {
      reply.cancel();
      return status >= 400 && status < 500 && status !== 429;
    }
    onState('open');
    waitMs = firstWaitMs;
    const reader = createFrameReader();
    for await (const chunk of reply.body())
      for (const { id, event, data } of reader.read(chunk)) {
        if (signal.aborted) return false;
        if (id !== undefined) lastId = id;
        onEvent(event, data);
      }
    return false;
  }
}
