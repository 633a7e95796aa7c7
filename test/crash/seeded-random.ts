/** Random numbers that repeat with their seed (mulberry32), so that a failing run can be repeated. */
export interface SeededRandom {
  /** From 0 to `end`, `end` excluded. */
  below(end: number): number;
  chance(probability: number): boolean;
  pick<T>(from: readonly T[]): T;
}

export function createSeededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  function next(): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
  const below = (end: number): number => Math.floor(next() * end);
  return {
    below,
    chance: (probability) => next() < probability,
    pick<T>(from: readonly T[]): T {
      const index = below(from.length);
      if (from.length === 0) throw new Error('there is nothing to pick from');
      return from[index] as T;
    },
  };
}
