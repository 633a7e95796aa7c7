/**
 * The live streams of one kind: who is connected, and the way of a frame to them (architecture "Delivery", D6).
 * A turn's frames are joined and written once per stream. A stream that resumes reads its backlog first, then what came
 * meanwhile without what it has seen, and is live from then on: no gap, no repeat.
 */
import { limits } from '#protocol/limits.ts';
import { type Clock, systemClock } from '../runtime/clock.ts';
import { asChunk, heartbeatFrame, type StreamSink, sseFrame } from './sse.ts';

export interface Entry {
  /** Increases with the order of acceptance. */
  position: number;
  frame: Buffer;
}

/** Entries of a backlog, oldest first. */
export interface Page {
  entries: Entry[];
  /** There was nothing more in the store when it was read. */
  isLast: boolean;
  /** Positions that the stream passes without carrying them, in their order. */
  withheld?: number[];
}

/** Keys of the streams an entry goes to, or all of them. */
export type Audience = 'everyone' | readonly string[];

export interface OpenStream {
  /** Whose stream it is: a member's name. */
  key: string;
  /** Who reads it, where that may be another than the one it is about. */
  reader?: string;
  credentialId: string;
  /** Epoch ms when the stream ends by itself; null for as long as its credential lives. */
  endsAt?: number | null;
  /** Takes passing news, too: frames without a position, for live streams only (D19). */
  takesNews?: boolean;
  sink: StreamSink;
  /** The first frame: where the stream stands. */
  opening: Buffer;
  /** Resume after this position; null for live only. */
  after: number | null;
  /**
   * Entries for this stream after a position, oldest first: up to `limit`, fewer only when there are no more; or a page that says itself
   * whether it is the last. Asked only when resuming.
   */
  backlog: (after: number, limit: number) => Promise<Entry[] | Page>;
}

interface LiveStream extends OpenStream {
  state: 'resuming' | 'live' | 'ended';
  /** The last entry written, or the place it opened at. */
  position: number;
  /** What came while a backlog page was read; null when it was too much to hold, and is read again from the store. */
  tail: Entry[] | null;
  tailBytes: number;
  /** Where a resuming stream stood at the last heartbeat; null when it was live. */
  positionAtBeat: number | null;
  /** Up to where it was said to have carried its entries. */
  carriedTo: number;
  /** Up to where its socket is known to have taken them: once it is closed, what waited cannot be told from what was taken. */
  takenTo: number;
  /** Positions after `carriedTo` that it does not carry, in their order. */
  withheld: number[];
}

/** Everything for a key after `from`, up to `to`, left the broker on one stream. */
export interface Carried {
  key: string;
  from: number;
  to: number;
}

export interface LiveStreams {
  /** The newest position published. */
  readonly position: number;
  /** Open streams. */
  readonly total: number;
  connections(key: string): number;
  open(request: OpenStream): void;
  /** Hands an entry to its audience at the end of this turn. Call in the order of positions, after the commit. */
  publish(entry: Entry, audience: Audience): void;
  /** There is more in the store for the streams of a key: they read it from there. Call after the commit. */
  refresh(key: string): void;
  /** Hands a frame without a position to the streams of its audience that take news; who is not there misses it. */
  announce(frame: Buffer, audience: Audience): void;
  /** Bytes that sockets have not taken yet. */
  waiting(): { total: number; most: number };
  /** What streams carried since it was last asked: only what their sockets have taken. */
  takeCarried(): Carried[];
  /** Ends streams with `bye`: by revoked credential, removed member, or all at shutdown. */
  end(which: { key?: string; credentialId?: string }): void;
  endWhere(isOver: (stream: { key: string; reader: string; isEncrypted: boolean }) => boolean): void;
  close(): void;
}

const pageSize = 100;
const longestPauseMs = 50;
const endLookMs = 250;
/** News that comes together is written together. */
const newsPauseMs = 20;
const { waitingBytes } = limits.stream;
const bye = asChunk([sseFrame('bye', '{}')]);
const heartbeat = asChunk([heartbeatFrame]);

export interface LiveStreamsOptions {
  /** The newest position in the store at start. */
  position: number;
  clock?: Clock;
  /** Called when a member's number of connections changes. */
  onChange?: (key: string) => void;
  onError: (error: unknown) => void;
  /** Ms that pass, for pacing; the system's unless given. */
  stopwatch?: () => number;
}

export function createLiveStreams({
  position: startPosition,
  clock = systemClock,
  onChange,
  onError,
  stopwatch = () => performance.now(),
}: LiveStreamsOptions): LiveStreams {
  const streamsByKey = new Map<string, Set<LiveStream>>();
  /** Those with an end of their own. */
  const ending = new Set<LiveStream>();
  let total = 0;
  let position = startPosition;
  let turn: { entry: Entry; audience: Audience }[] = [];
  let nextFlushAt = 0;
  const takingNews = new Set<LiveStream>();
  /** By streams that have ended since it was last asked. */
  let carriedByEnded: Carried[] = [];
  let news: { frame: Buffer; audience: Audience }[] = [];

  /** Around what was withheld, what the stream carried since it was last asked. */
  function carriedUpTo(stream: LiveStream, to: number): Carried[] {
    const { key, withheld } = stream;
    const passed = withheld.filter((position) => position <= to);
    const ends = [...passed.map((position) => position - 1), to];
    const starts = [stream.carriedTo, ...passed];
    stream.withheld = withheld.slice(passed.length);
    stream.carriedTo = Math.max(stream.carriedTo, to);
    return starts.map((from, at) => ({ key, from, to: ends[at] ?? to })).filter((one) => one.from < one.to);
  }

  function remove(stream: LiveStream): void {
    if (stream.state === 'ended') return;
    stream.state = 'ended';
    stream.tail = null;
    carriedByEnded.push(...carriedUpTo(stream, stream.takenTo));
    ending.delete(stream);
    takingNews.delete(stream);
    const streams = streamsByKey.get(stream.key);
    streams?.delete(stream);
    if (streams?.size === 0) streamsByKey.delete(stream.key);
    total -= 1;
    onChange?.(stream.key);
  }

  function cut(stream: LiveStream): void {
    remove(stream);
    stream.sink.write(bye);
    stream.sink.end();
  }

  function moveTo(stream: LiveStream, position: number): void {
    stream.position = Math.max(stream.position, position);
    if (stream.sink.waitingBytes === 0) stream.takenTo = stream.position;
  }

  function hold(stream: LiveStream, entries: readonly Entry[]): void {
    if (stream.tail === null) return;
    for (const entry of entries) {
      stream.tailBytes += entry.frame.length;
      stream.tail.push(entry);
    }
    if (stream.tailBytes > waitingBytes) stream.tail = null;
  }

  function deliver(stream: LiveStream, entries: readonly Entry[], chunk: Buffer): void {
    const first = entries[0];
    const last = entries.at(-1);
    if (first === undefined || last === undefined) return;
    if (stream.state === 'resuming') {
      hold(stream, entries);
      return;
    }
    if (stream.sink.waitingBytes > waitingBytes) {
      cut(stream);
      return;
    }
    if (first.position > stream.position) stream.sink.write(chunk);
    else {
      const unseen = entries.filter((entry) => entry.position > stream.position);
      if (unseen.length > 0) stream.sink.write(asChunk(unseen.map((entry) => entry.frame)));
    }
    moveTo(stream, last.position);
  }

  /**
   * Writing to streams gets at most half of the thread: after a flush the next one waits as long as that one took, so that with many
   * streams more frames are joined (docs/benchmarks.md: bursts to 1000 streams more than doubled) and requests are not starved.
   */
  function scheduleFlush(): void {
    const pauseMs = nextFlushAt - stopwatch();
    if (pauseMs <= 0) setImmediate(flush);
    else setTimeout(flush, pauseMs);
  }

  function flush(): void {
    const startedAt = stopwatch();
    writeTurn();
    const endedAt = stopwatch();
    nextFlushAt = endedAt + Math.min(endedAt - startedAt, longestPauseMs);
  }

  /** Streams that get the same entries share one chunk, however many there are and whatever their keys. */
  function writeTurn(): void {
    const published = turn;
    turn = [];
    const indexesByKey = new Map<string, number[]>();
    const forEveryone: number[] = [];
    for (const [index, { audience }] of published.entries()) {
      if (audience === 'everyone') forEveryone.push(index);
      else {
        for (const key of audience) {
          if (!streamsByKey.has(key)) continue;
          const indexes = indexesByKey.get(key);
          if (indexes === undefined) indexesByKey.set(key, [index]);
          else indexes.push(index);
        }
      }
    }
    const shared = new Map<string, { entries: Entry[]; chunk: Buffer }>();
    function joined(indexes: readonly number[]): { entries: Entry[]; chunk: Buffer } {
      const signature = indexes.join();
      let known = shared.get(signature);
      if (known === undefined) {
        const entries = indexes.flatMap((index) => published[index]?.entry ?? []);
        known = { entries, chunk: asChunk(entries.map((entry) => entry.frame)) };
        shared.set(signature, known);
      }
      return known;
    }
    if (forEveryone.length > 0) {
      const { entries, chunk } = joined(forEveryone);
      for (const [key, streams] of streamsByKey) {
        if (indexesByKey.has(key)) continue;
        for (const stream of streams) deliver(stream, entries, chunk);
      }
    }
    for (const [key, indexes] of indexesByKey) {
      const all = forEveryone.length === 0 ? indexes : [...forEveryone, ...indexes].sort((a, b) => a - b);
      const { entries, chunk } = joined(all);
      for (const stream of streamsByKey.get(key) ?? []) deliver(stream, entries, chunk);
    }
  }

  function writeNews(): void {
    const announced = news;
    news = [];
    for (const stream of takingNews) {
      const frames = announced
        .filter(({ audience }) => audience === 'everyone' || audience.includes(stream.key))
        .map(({ frame }) => frame);
      if (frames.length === 0) continue;
      if (stream.sink.waitingBytes > waitingBytes) cut(stream);
      else stream.sink.write(asChunk(frames));
    }
  }

  async function resume(stream: LiveStream): Promise<void> {
    while (stream.state === 'resuming') {
      stream.tail = [];
      stream.tailBytes = 0;
      const answer = await stream.backlog(stream.position, pageSize);
      if (stream.state !== 'resuming') return;
      const page = Array.isArray(answer) ? answer : answer.entries;
      const isLast = Array.isArray(answer) ? page.length < pageSize : answer.isLast;
      if (!Array.isArray(answer)) stream.withheld.push(...(answer.withheld ?? []));
      const isLastPage = isLast && stream.tail !== null;
      const lastRead = page.at(-1)?.position ?? stream.position;
      const entries = isLastPage
        ? [...page, ...(stream.tail ?? []).filter((entry) => entry.position > lastRead)]
        : page;
      if (entries.length > 0) stream.sink.write(asChunk(entries.map((entry) => entry.frame)));
      moveTo(stream, entries.at(-1)?.position ?? stream.position);
      // A long backlog that is still being read is no reason to cut; it goes live when it is through.
      if (isLastPage && stream.sink.waitingBytes <= waitingBytes) {
        stream.state = 'live';
        stream.tail = null;
        return;
      }
      await stream.sink.drained();
    }
  }

  /** Reads a backlog, but took nothing of it since the last heartbeat. */
  const isStuck = ({ state, positionAtBeat, position: at, sink }: LiveStream): boolean =>
    state === 'resuming' && positionAtBeat === at && sink.waitingBytes > 0;

  const beat = setInterval(() => {
    for (const streams of streamsByKey.values()) {
      for (const stream of streams) {
        if (stream.sink.waitingBytes > waitingBytes || isStuck(stream)) cut(stream);
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
    stream.state = 'resuming';
    resume(stream).catch((error: unknown) => {
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
    open(request) {
      const stream: LiveStream = {
        ...request,
        state: 'live',
        position: request.after ?? position,
        tail: null,
        tailBytes: 0,
        positionAtBeat: null,
        carriedTo: request.after ?? position,
        takenTo: request.after ?? position,
        withheld: [],
      };
      const streams = streamsByKey.get(stream.key);
      if (streams === undefined) streamsByKey.set(stream.key, new Set([stream]));
      else streams.add(stream);
      total += 1;
      if (stream.endsAt != null) ending.add(stream);
      if (stream.takesNews) takingNews.add(stream);
      stream.sink.onClose(() => remove(stream));
      stream.sink.write(asChunk([Buffer.from(`retry: ${limits.stream.retryMs}\n\n`), stream.opening]));
      onChange?.(stream.key);
      if (request.after !== null) startResuming(stream);
    },
    publish(entry, audience) {
      position = entry.position;
      if (turn.length === 0) scheduleFlush();
      turn.push({ entry, audience });
    },
    refresh(key) {
      for (const stream of streamsByKey.get(key) ?? []) {
        if (stream.state === 'live') startResuming(stream);
        else stream.tail = null;
      }
    },
    announce(frame, audience) {
      if (takingNews.size === 0) return;
      if (news.length === 0) setTimeout(writeNews, newsPauseMs).unref();
      news.push({ frame, audience });
    },
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
    takeCarried() {
      const carried = carriedByEnded;
      carriedByEnded = [];
      for (const streams of streamsByKey.values()) {
        for (const stream of streams) {
          if (stream.position === stream.carriedTo || stream.sink.waitingBytes > 0) continue;
          carried.push(...carriedUpTo(stream, stream.position));
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
      flush();
      end({});
    },
  };
}
