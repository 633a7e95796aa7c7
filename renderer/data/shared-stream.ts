/**
 * One live stream for all tabs of a browser (specification/console.md#tabs). Over HTTP/1.1, a browser opens six connections to a host, and a
 * stream of each tab would use them up. The tab that holds a lock reads the stream and passes its frames on to the other tabs. When that tab
 * is closed, another one gets the lock and goes on after the last frame that it was passed.
 */
import { randomId } from './random-id.ts';
import type { LiveEvent, LiveRequest, LiveState } from './transport.ts';

/** `after`: the id of the last frame that was received; undefined to begin with new frames. */
export type OpenStream = (request: LiveRequest, after: string | undefined) => () => void;

/** From a tab that joins, or that checks whether the reading tab still answers. */
interface Question {
  kind: 'question';
}

type Told =
  | { kind: 'begin'; after: string | undefined }
  | { kind: 'state'; state: LiveState }
  | { kind: 'event'; event: LiveEvent }
  | { kind: 'answer'; state: LiveState; isReady: boolean; lastId: string | undefined };

/** From the tab that reads the stream. `count`: how many events it has passed on, with this one. */
type News = Told & { reader: string; count: number };

/** Long enough for a busy tab; a suspended one never answers. */
const answerMs = 5000;

/**
 * Returns a function that leaves the stream. Without locks, which browsers offer only to pages that arrived over HTTPS or from the same machine, the tab
 * reads a stream of its own. `onEvent` receives `gap` if events may have been missed.
 */
export function openSharedStream(request: LiveRequest, open: OpenStream): () => void {
  if (navigator.locks === undefined) return open(request, undefined);
  const { locks } = navigator;
  const name = `muster.stream ${request.url}`;
  const channel = new BroadcastChannel(name);
  const closed = new AbortController();
  let lastId: string | undefined;
  /** Set while this tab reads the stream. */
  let reading: { answer(): void; stop(): void } | undefined;
  let waiting = new AbortController();
  /** Undefined until the reading tab has said where its stream is. */
  let seen: { reader: string; count: number } | undefined;
  let isAsked = false;

  function ask(): void {
    isAsked = true;
    channel.postMessage({ kind: 'question' } satisfies Question);
  }

  /** The lock is held until the result resolves. */
  function read(): Promise<void> {
    const reader = randomId();
    let count = 0;
    let state: LiveState = 'connecting';
    let isReady = false;
    const tell = (told: Told): void => channel.postMessage({ ...told, reader, count } satisfies News);
    tell({ kind: 'begin', after: lastId });
    const close = open(
      {
        ...request,
        onState(next) {
          state = next;
          if (next !== 'open') isReady = false;
          tell({ kind: 'state', state });
          request.onState(next);
        },
        onEvent(event) {
          count += 1;
          lastId = event.id ?? lastId;
          if (event.event === 'ready') isReady = true;
          tell({ kind: 'event', event });
          request.onEvent(event);
        },
      },
      lastId,
    );
    return new Promise((resolve) => {
      reading = {
        answer: () => tell({ kind: 'answer', state, isReady, lastId }),
        stop() {
          reading = undefined;
          seen = undefined;
          close();
          resolve();
        },
      };
    });
  }

  async function wait(isTaking: boolean): Promise<void> {
    waiting.abort();
    const turn = new AbortController();
    waiting = turn;
    // Rejects if the wait ends, or if another tab takes the lock because this one did not answer.
    await locks
      .request(name, isTaking ? { steal: true } : { signal: turn.signal }, () =>
        turn.signal.aborted ? undefined : read(),
      )
      .catch(() => undefined);
    if (turn.signal.aborted) return;
    reading?.stop();
    void wait(false);
  }

  function join({ state, isReady, lastId: id }: Extract<News, { kind: 'answer' }>): void {
    lastId = id;
    request.onEvent({ event: 'gap', data: '' });
    request.onState(state);
    if (isReady) request.onEvent({ event: 'ready', data: '{}' });
  }

  function follow(news: News): void {
    isAsked = false;
    const { reader, count } = news;
    const isNext = reader === seen?.reader && count === seen.count + (news.kind === 'event' ? 1 : 0);
    if (news.kind === 'begin') {
      if (seen !== undefined && news.after !== lastId) request.onEvent({ event: 'gap', data: '' });
    } else if (news.kind === 'answer') {
      if (!isNext) join(news);
    } else if (!isNext) {
      seen = undefined;
      ask();
      return;
    }
    seen = { reader, count };
    if (news.kind === 'state') request.onState(news.state);
    if (news.kind !== 'event') return;
    lastId = news.event.id ?? lastId;
    request.onEvent(news.event);
  }

  /** A tab that nobody sees does not need to find out. */
  function check(): void {
    if (reading !== undefined || document.hidden) {
      isAsked = false;
      return;
    }
    if (isAsked) void wait(true);
    else ask();
  }

  channel.addEventListener('message', ({ data }: MessageEvent<Question | News>) => {
    if (data.kind === 'question') reading?.answer();
    else if (reading === undefined) follow(data);
  });
  document.addEventListener('visibilitychange', check, { signal: closed.signal });
  const timer = setInterval(check, answerMs);
  request.onState('connecting');
  ask();
  void wait(false);
  return () => {
    closed.abort();
    clearInterval(timer);
    waiting.abort();
    reading?.stop();
    channel.close();
  };
}
