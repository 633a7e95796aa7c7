/** One live stream of the broker, read over its own loopback listener: a request without a socket cannot stream. It resumes by itself. */
import { setTimeout as after } from 'node:timers/promises';
import { createParser } from 'eventsource-parser';

export type FeedState = 'connecting' | 'open' | 'lost' | 'refused';

export interface LiveFeedDeps {
  /** Address of the whole stream. Read at each try: the broker may have got another port. */
  url(): string;
  /** The session; read at each try. */
  headers(): Record<string, string>;
  onEvent(event: string, data: string): void;
  onState(state: FeedState): void;
}

const firstWaitMs = 500;
const longestWaitMs = 15_000;

/** Answers the function that closes it. `refused` is the end: another try cannot mend it. */
export function openLiveFeed({ url, headers, onEvent, onState }: LiveFeedDeps): () => void {
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
      waitMs = Math.min(waitMs * 2, longestWaitMs);
    }
  })();
  return () => closing.abort();

  /** True when the broker refuses. */
  async function once(): Promise<boolean> {
    const reply = await fetch(url(), {
      signal,
      redirect: 'error',
      headers: {
        accept: 'text/event-stream',
        ...headers(),
        ...(lastId !== undefined && { 'last-event-id': lastId }),
      },
    });
    if (reply.status !== 200 || reply.body === null) {
      await reply.body?.cancel();
      return reply.status >= 400 && reply.status < 500 && reply.status !== 429;
    }
    onState('open');
    waitMs = firstWaitMs;
    const parser = createParser({
      onEvent({ id, event, data }) {
        if (signal.aborted) return;
        if (id !== undefined) lastId = id;
        onEvent(event ?? 'message', data);
      },
    });
    const text = new TextDecoder();
    for await (const chunk of reply.body) parser.feed(text.decode(chunk, { stream: true }));
    return false;
  }
}
