/**
 * One live stream: its position, what it holds back while it resumes, and what it is known to have carried
 * (specification/streams.md#resuming).
 */
import { limits } from '#protocol/limits.ts';
import { asChunk, type StreamSink } from './sse.ts';

export interface Entry {
  /** Increases with the order of acceptance. */
  position: number;
  frame: Buffer;
}

/** Entries of a backlog, oldest first. */
export interface Page {
  entries: Entry[];
  /** All of them as one chunk, for pages that several streams get. */
  chunk?: Buffer;
  /** There was nothing more in the store when it was read. */
  isLast: boolean;
  /** Positions that the stream skips without carrying them, in order. */
  withheld?: number[];
}

/** The keys of the streams that get an entry, or all of them. */
export type Audience = 'everyone' | readonly string[];

export interface OpenStream {
  /** The name of the member whose stream it is. */
  key: string;
  /** The reader, if it may be another member than the subject. */
  reader?: string;
  credentialId: string;
  /** When the stream ends by itself, epoch ms; null for as long as its credential lives. */
  endsAt?: number | null;
  /**
   * Also gets passing news: frames without a position, for live streams only (specification/streams.md#news).
   */
  takesNews?: boolean;
  sink: StreamSink;
  /** The first frame: the stream's position. */
  opening: Buffer;
  /** Resume after this position; null for live only. */
  after: number | null;
  /**
   * Returns entries for this stream after a position, oldest first: up to `limit`, fewer only if there are no
   * more; or a page that says itself whether it is the last. Called only when resuming.
   */
  backlog: (after: number, limit: number) => Promise<Entry[] | Page>;
}

export interface LiveStream extends OpenStream {
  state: 'resuming' | 'live' | 'ended';
  /** The last entry written, or the position at which it opened. */
  position: number;
  /**
   * The entries that arrived while a backlog page was being read; null if they were too much to hold and are read
   * again from the store.
   */
  tail: Entry[] | null;
  tailBytes: number;
  /** The position of a resuming stream at the last heartbeat; null if it was live. */
  positionAtBeat: number | null;
  /** The position up to which its entries were reported as carried. */
  carriedTo: number;
  /**
   * The position up to which its socket is known to have taken them: once it is closed, what was queued
   * cannot be told from what was taken.
   */
  takenTo: number;
  /** Positions after `carriedTo` that it does not carry, in order. */
  withheld: number[];
}

/** Everything for a key after `from`, up to `to`, left the broker on one stream. */
export interface Carried {
  key: string;
  from: number;
  to: number;
}

const { waitingBytes } = limits.stream;

/**
 * Live from the newest position on, or from the one after which it resumes; `resumeStream` then brings it up
 * to date.
 */
export function liveStream(request: OpenStream, newest: number): LiveStream {
  const position = request.after ?? newest;
  return {
    ...request,
    state: 'live',
    position,
    tail: null,
    tailBytes: 0,
    positionAtBeat: null,
    carriedTo: position,
    takenTo: position,
    withheld: [],
  };
}

/** More data is queued for its reader than a stream may hold. */
export const isOverfull = ({ sink }: LiveStream): boolean => sink.waitingBytes > waitingBytes;

export function moveTo(stream: LiveStream, position: number): void {
  stream.position = Math.max(stream.position, position);
  if (stream.sink.waitingBytes === 0) stream.takenTo = stream.position;
}

/**
 * Writes what the stream has not seen of a turn's entries; `chunk` is all of them joined. A stream that reads
 * its backlog holds them back.
 */
export function deliver(
  stream: LiveStream,
  entries: readonly Entry[],
  chunk: Buffer,
  cut: (stream: LiveStream) => void,
): void {
  const first = entries[0];
  const last = entries.at(-1);
  if (first === undefined || last === undefined) return;
  if (stream.state === 'resuming') {
    hold(stream, entries);
    return;
  }
  if (isOverfull(stream)) {
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

function hold(stream: LiveStream, entries: readonly Entry[]): void {
  if (stream.tail === null) return;
  for (const entry of entries) {
    stream.tailBytes += entry.frame.length;
    stream.tail.push(entry);
  }
  if (stream.tailBytes > waitingBytes) stream.tail = null;
}

/** Returns what the stream carried since the last call, with gaps for what was withheld. */
export function drainCarriedUpTo(stream: LiveStream, to: number): Carried[] {
  const { key, withheld } = stream;
  const passed = withheld.filter((position) => position <= to);
  const ends = [...passed.map((position) => position - 1), to];
  const starts = [stream.carriedTo, ...passed];
  stream.withheld = withheld.slice(passed.length);
  stream.carriedTo = Math.max(stream.carriedTo, to);
  return starts.map((from, at) => ({ key, from, to: ends[at] ?? to })).filter((one) => one.from < one.to);
}
