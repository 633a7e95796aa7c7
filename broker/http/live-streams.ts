/**
 * The live streams of one kind: who is connected, from opening to the end, and how a frame reaches them
 * (specification/streams.md). `turn-writes.ts` is the hot path, `resume-stream.ts` leads from a cursor to
 * live, and `stream-news.ts` handles what has no position.
 */
import { limits } from '#protocol/limits.ts';
import { type Clock, systemClock } from '../runtime/clock.ts';
import { createFairQueue, type FairQueue } from '../runtime/fair-queue.ts';
import { createHistogram, type Histogram } from '../runtime/histogram.ts';
import {
  type Audience,
  type Carried,
  drainCarriedUpTo,
  type Entry,
  isOverfull,
  type LiveStream,
  liveStream,
  type OpenStream,
} from './live-stream.ts';
import { resumeStream } from './resume-stream.ts';
import { asChunk, heartbeatFrame, sseFrame } from './sse.ts';
import { createStreamNews } from './stream-news.ts';
import { createTurnWrites } from './turn-writes.ts';

export interface LiveStreams {
  /** The newest published position. */
  readonly position: number;
  /** The number of open streams. */
  readonly total: number;
  connections(key: string): number;
  /** Calls `listener` from now on with the key whose number of connections changed. */
  watchConnections(listener: (key: string) => void): void;
  open(request: OpenStream): void;
  /**
   * Hands an entry to its audience at the end of this turn. Call it in the order of positions, after the
   * commit.
   */
  publish(entry: Entry, audience: Audience): void;
  /**
   * There is more in the store for the streams of a key, which read it from there. Call it after the commit.
   */
  refresh(key: string): void;
  /** Hands a frame without a position to those streams of its audience that take news; others miss it. */
  announce(frame: Buffer, audience: Audience): void;
  /** Bytes that sockets have not taken yet. */
  waiting(): { total: number; most: number };
  /** How long it took to write the frames of one turn to all of their streams, since the start. */
  readonly fanOut: Pick<Histogram, 'count' | 'read'>;
  /** Returns what streams carried since the last call: only what their sockets have taken. */
  drainCarried(): Carried[];
  /** Ends streams with `bye`: by revoked credential, by removed member, or all at shutdown. */
  end(which: { key?: string; credentialId?: string }): void;
  endWhere(isOver: (stream: { key: string; reader: string; isEncrypted: boolean }) => boolean): void;
  close(): void;
}

const endLookMs = 250;
const bye = asChunk([sseFrame('bye', '{}')]);
const heartbeat = asChunk([heartbeatFrame]);

export interface LiveStreamsOptions {
  /** The newest position in the store at start. */
  position: number;
  clock?: Clock;
  onError: (error: unknown) => void;
  /** Returns the elapsed ms, for pacing; the system's by default. */
  stopwatch?: () => number;
  /** Shares the reading of backlogs between readers. */
  turns?: FairQueue;
}

export function createLiveStreams({
  position: startPosition,
  clock = systemClock,
  onError,
  stopwatch = () => performance.now(),
  turns = createFairQueue(limits.stream.resuming),
}: LiveStreamsOptions): LiveStreams {
  const streamsByKey = new Map<string, Set<LiveStream>>();
  /** Streams with an end of their own. */
  const ending = new Set<LiveStream>();
  let total = 0;
  let position = startPosition;
  const fanOut = createHistogram();
  const connectionListeners: ((key: string) => void)[] = [];
  /** The ranges carried by streams that have ended since the last call. */
  let carriedByEnded: Carried[] = [];
  const writes = createTurnWrites({ streamsByKey, cut, stopwatch, onWritten: fanOut.record });
  const news = createStreamNews({ cut });

  function remove(stream: LiveStream): void {
    if (stream.state === 'ended') return;
    stream.state = 'ended';
    stream.tail = null;
    carriedByEnded.push(...drainCarriedUpTo(stream, stream.takenTo));
    ending.delete(stream);
    news.remove(stream);
    const streams = streamsByKey.get(stream.key);
    streams?.delete(stream);
    if (streams?.size === 0) streamsByKey.delete(stream.key);
    total -= 1;
    for (const tell of connectionListeners) tell(stream.key);
  }

  function cut(stream: LiveStream): void {
    remove(stream);
    stream.sink.write(bye);
    stream.sink.end();
  }

  /** It reads a backlog, but took nothing of it since the last heartbeat. */
  const isStuck = ({ state, positionAtBeat, position: at, sink }: LiveStream): boolean =>
    state === 'resuming' && positionAtBeat === at && sink.waitingBytes > 0;

  const beat = setInterval(() => {
    for (const streams of streamsByKey.values()) {
      for (const stream of streams) {
        if (isOverfull(stream) || isStuck(stream)) cut(stream);
        else stream.sink.write(heartbeat);
        stream.positionAtBeat = stream.state === 'resuming' ? stream.position : null;
      }
    }
  }, limits.stream.heartbeatMs).unref();

  const endLook = setInterval(() => {
    if (ending.size === 0) return;
    const now = clock();
    for (const stream of ending) if ((stream.endsAt ?? now) <= now) cut(stream);
  }, endLookMs).unref();

  function end(which: { key?: string; credentialId?: string }): void {
    for (const [key, streams] of streamsByKey) {
      if (which.key !== undefined && which.key !== key) continue;
      for (const stream of streams) {
        if (which.credentialId === undefined || which.credentialId === stream.credentialId) cut(stream);
      }
    }
  }

  function startResuming(stream: LiveStream): void {
    resumeStream(stream, turns).catch((error: unknown) => {
      onError(error);
      if (stream.state !== 'ended') cut(stream);
    });
  }

  return {
    get position() {
      return position;
    },
    get total() {
      return total;
    },
    connections: (key) => streamsByKey.get(key)?.size ?? 0,
    watchConnections: (listener) => void connectionListeners.push(listener),
    open(request) {
      const stream = liveStream(request, position);
      const streams = streamsByKey.get(stream.key);
      if (streams === undefined) streamsByKey.set(stream.key, new Set([stream]));
      else streams.add(stream);
      total += 1;
      if (stream.endsAt != null) ending.add(stream);
      if (stream.takesNews) news.add(stream);
      stream.sink.onClose(() => remove(stream));
      stream.sink.write(asChunk([Buffer.from(`retry: ${limits.stream.retryMs}\n\n`), stream.opening]));
      for (const tell of connectionListeners) tell(stream.key);
      if (request.after !== null) startResuming(stream);
    },
    publish(entry, audience) {
      position = entry.position;
      if (total > 0) writes.add(entry, audience);
    },
    refresh(key) {
      for (const stream of streamsByKey.get(key) ?? []) {
        if (stream.state === 'live') startResuming(stream);
        else stream.tail = null;
      }
    },
    announce: news.announce,
    fanOut,
    waiting() {
      let sum = 0;
      let most = 0;
      for (const streams of streamsByKey.values()) {
        for (const { sink } of streams) {
          sum += sink.waitingBytes;
          most = Math.max(most, sink.waitingBytes);
        }
      }
      return { total: sum, most };
    },
    drainCarried() {
      const carried = carriedByEnded;
      carriedByEnded = [];
      for (const streams of streamsByKey.values()) {
        for (const stream of streams) {
          if (stream.position === stream.carriedTo || stream.sink.waitingBytes > 0) continue;
          carried.push(...drainCarriedUpTo(stream, stream.position));
        }
      }
      return carried;
    },
    end,
    endWhere(isOver) {
      for (const [key, streams] of streamsByKey) {
        for (const stream of streams) {
          const { reader = key, sink } = stream;
          if (isOver({ key, reader, isEncrypted: sink.isEncrypted })) cut(stream);
        }
      }
    },
    close() {
      clearInterval(beat);
      clearInterval(endLook);
      writes.flush();
      end({});
    },
  };
}
