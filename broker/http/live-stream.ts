/** One live stream: where it stands, what it holds back while it resumes, and what it is known to have carried (D6, D19). */
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

export interface LiveStream extends OpenStream {
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

const { waitingBytes } = limits.stream;

/** Live from the newest position on, or from the one it resumes after; `resumeStream` then brings it up to date. */
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

/** More waits for its reader than a stream may hold. */
export const isOverfull = ({ sink }: LiveStream): boolean => sink.waitingBytes > waitingBytes;

export function moveTo(stream: LiveStream, position: number): void {
  stream.position = Math.max(stream.position, position);
  if (stream.sink.waitingBytes === 0) stream.takenTo = stream.position;
}

/** Writes what the stream has not seen of a turn's entries; `chunk` is all of them joined. What reads its backlog holds them. */
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

/** Around what was withheld, what the stream carried since it was last asked. */
export function takeCarriedUpTo(stream: LiveStream, to: number): Carried[] {
  const { key, withheld } = stream;
  const passed = withheld.filter((position) => position <= to);
  const ends = [...passed.map((position) => position - 1), to];
  const starts = [stream.carriedTo, ...passed];
  stream.withheld = withheld.slice(passed.length);
  stream.carriedTo = Math.max(stream.carriedTo, to);
  return starts.map((from, at) => ({ key, from, to: ends[at] ?? to })).filter((one) => one.from < one.to);
}
