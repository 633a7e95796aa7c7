/**
 * Pages of what members missed, for streams that resume at the same time: one read of the store is for all that
 * ask meanwhile, and streams that missed the same messages share the bytes (specification/streams.md#resuming).
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Entry, Page } from '../../http/live-stream.ts';
import { asChunk } from '../../http/sse.ts';
import type { MessageFrames } from './message-frames.ts';
import type { MissedUnits, Missing } from './missed.sqlite.ts';

export interface Backlog {
  /** Returns a page of what the reader missed after a position. @throws Error if a part of it was removed. */
  pageAfter(missing: Missing): Promise<Page>;
}

export interface BacklogDeps {
  units: MissedUnits;
  frames: Pick<MessageFrames, 'message'>;
}

/** The amount that one stream gets at a time, and that one read of the store is for: it takes a few milliseconds. */
const page = { limit: 500, characters: 256 * 1024 };

interface Waiting {
  missing: Missing;
  resolve: (page: Page) => void;
  reject: (error: unknown) => void;
}

export function createBacklog({ units, frames }: BacklogDeps): Backlog {
  let waiting: Waiting[] = [];
  let isReading = false;
  // A read for many streams is not a part of the request that happens to cause it.
  const outsideRequests = AsyncLocalStorage.snapshot();

  /** Answers the first calls, at least one. Returns the others. */
  async function answer(calls: readonly Waiting[]): Promise<Waiting[]> {
    const readers = calls.map(({ missing }) => missing);
    const { messages, pages, missed, floor } = await units.missedBy({ readers, ...page });
    const entries = messages.map(({ seq, json }) => ({ position: seq, frame: frames.message(json, seq) }));
    const joined = pages.map((places) => joinedPage(places.flatMap((place) => entries[place] ?? [])));
    for (const [at, { missing, resolve, reject }] of calls.slice(0, missed.length).entries()) {
      const { page: place = 0, withheld = [], isLast = false } = missed[at] ?? {};
      // The stream ends, and its reader learns from `reset` that it has to read the history.
      if (missing.after < floor)
        reject(new Error('messages that a resuming stream had not carried yet were removed'));
      else resolve({ ...(joined[place] ?? { entries: [] }), withheld, isLast });
    }
    return calls.slice(missed.length);
  }

  /** One reader whose read fails must not fail the others. */
  async function answerEach(calls: readonly Waiting[], error: unknown): Promise<void> {
    const [only] = calls;
    if (only !== undefined && calls.length === 1) only.reject(error);
    else for (const call of calls) await answer([call]).catch(call.reject);
  }

  async function readOn(): Promise<void> {
    while (waiting.length > 0) {
      const calls = waiting;
      waiting = [];
      try {
        const rest = await answer(calls);
        waiting = [...rest, ...waiting];
      } catch (error) {
        await answerEach(calls, error);
      }
    }
    isReading = false;
  }

  return {
    pageAfter: (missing) =>
      new Promise((resolve, reject) => {
        waiting.push({ missing, resolve, reject });
        if (isReading) return;
        isReading = true;
        // After everything that is already resolved: streams whose turns begin together ask together.
        process.nextTick(() => outsideRequests(readOn));
      }),
  };
}

const joinedPage = (entries: Entry[]): Pick<Page, 'entries' | 'chunk'> =>
  entries.length === 0 ? { entries } : { entries, chunk: asChunk(entries.map(({ frame }) => frame)) };
