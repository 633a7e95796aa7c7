/**
 * The hot path from an accepted entry to sockets: a turn's frames are joined and written once per stream (ADR
 * 0002).
 */
import { type Audience, deliver, type Entry, type LiveStream } from './live-stream.ts';
import { asChunk } from './sse.ts';

const maxPauseMs = 50;

export interface TurnWrites {
  /** Written at the end of this turn, or when the pacing allows. */
  add(entry: Entry, audience: Audience): void;
  /** Writes now. */
  flush(): void;
}

export interface TurnWritesDeps {
  streamsByKey: ReadonlyMap<string, ReadonlySet<LiveStream>>;
  /** Ends a stream whose reader does not keep up. */
  cut: (stream: LiveStream) => void;
  /** Returns the elapsed ms, for pacing. */
  stopwatch: () => number;
  /** Told how long a turn's writes took, in ms. */
  onWritten: (ms: number) => void;
}

export function createTurnWrites({ streamsByKey, cut, stopwatch, onWritten }: TurnWritesDeps): TurnWrites {
  let turn: { entry: Entry; audience: Audience }[] = [];
  let nextFlushAt = 0;

  /**
   * Writing to streams gets at most half of the thread: after a flush, the next one waits as long as that one
   * took, so that with many streams more frames are joined (docs/benchmarks.md: bursts to 1000 streams more
   * than doubled) and requests are not starved.
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
    onWritten(endedAt - startedAt);
    nextFlushAt = endedAt + Math.min(endedAt - startedAt, maxPauseMs);
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
        for (const stream of streams) deliver(stream, entries, chunk, cut);
      }
    }
    for (const [key, indexes] of indexesByKey) {
      const all = forEveryone.length === 0 ? indexes : [...forEveryone, ...indexes].sort((a, b) => a - b);
      const { entries, chunk } = joined(all);
      for (const stream of streamsByKey.get(key) ?? []) deliver(stream, entries, chunk, cut);
    }
  }

  return {
    add(entry, audience) {
      if (turn.length === 0) scheduleFlush();
      turn.push({ entry, audience });
    },
    flush,
  };
}
