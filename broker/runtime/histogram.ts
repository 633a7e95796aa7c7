/** How long something took, in fixed memory: counts in buckets that grow by a fifth each. */

/** Durations in ms. The percentiles are upper bounds of their buckets, at most a fifth too high. */
export interface Spread {
  p50Ms: number;
  p99Ms: number;
  maxMs: number;
}

export interface Histogram {
  record(ms: number): void;
  readonly count: number;
  /** All durations together, ms. */
  readonly sumMs: number;
  /** How many durations were at most so long, for bounds that double; the last bound is below the longest bucket. */
  upTo(): { ms: number; count: number }[];
  /** All 0 before the first record. */
  read(): Spread;
}

const smallestMs = 0.01;
const bucketsPerDoubling = 4;
/** The last bucket begins at about 40 s and takes everything above. */
const buckets = 22 * bucketsPerDoubling + 1;

const rounded = (ms: number): number => Math.round(ms * 1000) / 1000;

function bucketOf(ms: number): number {
  if (ms <= smallestMs) return 0;
  return Math.min(buckets - 1, Math.ceil(Math.log2(ms / smallestMs) * bucketsPerDoubling));
}

export function createHistogram(): Histogram {
  const counts = new Uint32Array(buckets);
  let count = 0;
  let maxMs = 0;
  let sumMs = 0;

  function percentile(part: number): number {
    const rank = Math.ceil(count * part);
    let below = 0;
    for (const [bucket, inBucket] of counts.entries()) {
      below += inBucket;
      if (below >= rank) return Math.min(maxMs, smallestMs * 2 ** (bucket / bucketsPerDoubling));
    }
    return maxMs;
  }

  return {
    record(ms) {
      const bucket = bucketOf(ms);
      counts[bucket] = (counts[bucket] ?? 0) + 1;
      count += 1;
      sumMs += ms;
      if (ms > maxMs) maxMs = ms;
    },
    get count() {
      return count;
    },
    get sumMs() {
      return sumMs;
    },
    upTo() {
      const bounds: { ms: number; count: number }[] = [];
      let below = 0;
      for (const [bucket, inBucket] of counts.entries()) {
        below += inBucket;
        // The last bucket also has everything above.
        if (bucket % bucketsPerDoubling === 0 && bucket < buckets - 1)
          bounds.push({ ms: rounded(smallestMs * 2 ** (bucket / bucketsPerDoubling)), count: below });
      }
      return bounds;
    },
    read: () => ({
      p50Ms: rounded(percentile(0.5)),
      p99Ms: rounded(percentile(0.99)),
      maxMs: rounded(maxMs),
    }),
  };
}
