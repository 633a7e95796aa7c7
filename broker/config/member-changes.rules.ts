/** The members that differ between two configurations. Pure. */

/** A member that changed has left as it was and entered as it is. */
export interface MemberChanges<Member> {
  readonly left: readonly Member[];
  readonly entered: readonly Member[];
}

/**
 * Compares members as objects: one that is the same object has not changed. Takes a few comparisons of
 * pointers for each member, so that it may run for every change of a large team.
 */
export function memberChanges<Member extends object>(
  before: readonly Member[],
  after: readonly Member[],
): MemberChanges<Member> {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shorter - start && before[before.length - 1 - end] === after[after.length - 1 - end]) end += 1;
  const was = before.slice(start, before.length - end);
  const is = after.slice(start, after.length - end);
  const had = new Set(was);
  const has = new Set(is);
  return {
    left: was.filter((member) => !has.has(member)),
    entered: is.filter((member) => !had.has(member)),
  };
}
