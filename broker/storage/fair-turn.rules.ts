/** Decides which of the calls that wait go to a store's reading thread next. */

interface Call {
  /** The member whose request makes the call; null for the broker itself. */
  caller: string | null;
}

export interface Turn<C extends Call> {
  calls: C[];
  /** In the order of arrival. */
  rest: C[];
}

/** So many calls of a member go into one turn at most, because a call may take longer than it is expected to. */
const mostOfOneMember = 4;

/**
 * Returns every call of the broker itself, and for each member the first call and a few more, which together take no longer than
 * the longest first call: so members share the time of the thread, and one that asks for much delays another one by what the thread is
 * reading, and by about one call. Short calls come first. `costOf`: what a call is expected to take, in ms.
 */
export function fairTurn<C extends Call>(waiting: readonly C[], costOf: (call: C) => number): Turn<C> {
  const share = longestFirstCall(waiting, costOf);
  const takenOf = new Map<string, number>();
  const turn: Turn<C> = { calls: [], rest: [] };
  for (const call of waiting) {
    if (call.caller === null) {
      turn.calls.push(call);
      continue;
    }
    const before = takenOf.get(call.caller);
    const taken = (before ?? 0) + Math.max(costOf(call), share / mostOfOneMember);
    const isNext = before === undefined || taken <= share;
    (isNext ? turn.calls : turn.rest).push(call);
    // The order of a member's calls stays as it is: after one that waits, the others wait as well.
    takenOf.set(call.caller, isNext ? taken : Number.POSITIVE_INFINITY);
  }
  turn.calls.sort((a, b) => costOf(a) - costOf(b));
  return turn;
}

function longestFirstCall<C extends Call>(waiting: readonly C[], costOf: (call: C) => number): number {
  const seen = new Set<string>();
  let longest = 0;
  for (const call of waiting) {
    if (call.caller === null || seen.has(call.caller)) continue;
    seen.add(call.caller);
    longest = Math.max(longest, costOf(call));
  }
  return longest;
}

/** The time that recent calls of each unit of work took. */
export interface CallCosts {
  note(unit: string, ms: number): void;
  /** Returns ms. */
  of(unit: string): number;
}

/** The share of the newest call in the average. */
const weight = 0.1;
const unknownMs = 1;

export function createCallCosts(): CallCosts {
  const averages = new Map<string, number>();
  return {
    note(unit, ms) {
      const average = averages.get(unit) ?? ms;
      averages.set(unit, average + weight * (ms - average));
    },
    of: (unit) => averages.get(unit) ?? unknownMs,
  };
}
