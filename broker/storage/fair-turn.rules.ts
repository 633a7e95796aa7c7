/** Which of the calls that wait go to a store's reading thread next. */

interface Call {
  /** The member whose request makes the call; null for the broker itself. */
  caller: string | null;
}

export interface Turn<C extends Call> {
  calls: C[];
  /** In the order of arrival. */
  rest: C[];
}

/**
 * Returns the first call of each member, and every call of the broker itself: so a member that asks for much
 * delays another one by what the thread is reading, and by one call.
 */
export function fairTurn<C extends Call>(waiting: readonly C[]): Turn<C> {
  const served = new Set<string>();
  const turn: Turn<C> = { calls: [], rest: [] };
  for (const call of waiting) {
    const isNext = call.caller === null || !served.has(call.caller);
    (isNext ? turn.calls : turn.rest).push(call);
    if (call.caller !== null) served.add(call.caller);
  }
  return turn;
}
