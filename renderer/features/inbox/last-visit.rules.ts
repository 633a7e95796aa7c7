/** When the member was here before, for "Since you were here". Pure. */

/** A member who comes back within this time has not been away. */
const awayMs = 30 * 60_000;

/** Both in epoch ms. */
export interface Visits {
  /** When the console was last seen on the screen. */
  seen: number;
  /** The end of the visit before this one. */
  before: number;
}

/** Returns the visits now that the console is on the screen. `first`: from when to tell at the first visit. */
export function atSight(held: Visits | null, now: number, first: number): Visits {
  if (held === null) return { seen: now, before: first };
  return { seen: now, before: now - held.seen > awayMs ? held.seen : held.before };
}
