/** Whether a read costs more in a large store than in a small one. Pure. */

export interface Cost {
  /** Processor time of the server for one answer, in ms. */
  cpuMs: number;
  /** Of one answer; null if they were not counted. */
  bytes: number | null;
}

export type Growth = 'none' | 'with the answer' | 'beyond the answer';

/** Less is noise. */
const noticeable = { ratio: 1.5, ms: 0.1 };

/** An answer that is longer may cost as much more. */
export function growthOf(small: Cost, large: Cost): Growth {
  const ratio = large.cpuMs / small.cpuMs;
  if (ratio <= noticeable.ratio || large.cpuMs - small.cpuMs <= noticeable.ms) return 'none';
  const answer = small.bytes === null || large.bytes === null ? 1 : large.bytes / small.bytes;
  return ratio <= noticeable.ratio * answer ? 'with the answer' : 'beyond the answer';
}
