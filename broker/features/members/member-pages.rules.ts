/** Pages of the members by name (specification/members.md#pages). */
import type { MemberPageQuery } from '#protocol/member.ts';

/** False if the whole list was asked for, in its own order. */
export const isPage = ({ limit, after }: MemberPageQuery): boolean =>
  limit !== undefined || after !== undefined;

/** Returns the index of the first of the sorted names that is greater than `name`. */
function indexAfter(members: readonly { name: string }[], name: string): number {
  let low = 0;
  let high = members.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((members[middle]?.name ?? '') > name) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** `members` are sorted by name in code-unit order. The cost is that of the page. */
export function pageByName<T extends { name: string }>(
  members: readonly T[],
  { limit = members.length, after }: MemberPageQuery,
): T[] {
  const from = after === undefined ? 0 : indexAfter(members, after);
  return members.slice(from, from + limit);
}
