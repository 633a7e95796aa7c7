/** Determines which recent messages the live streams have just carried, and to how many (specification/streams.md#news). Pure. */

/** A message that was accepted a short while ago. */
export interface Sent {
  /** Its position in the order of acceptance. */
  seq: number;
  id: string;
  sender: string;
  recipient: string | null;
  /** `data.thread` of the message. */
  thread?: unknown;
  /** Those to whom the frame went. */
  audience: 'everyone' | readonly string[];
}

/** A member's streams carried everything for it after `from`, up to `to`. Ranges of one member do not overlap. */
export interface Carried {
  member: string;
  from: number;
  to: number;
}

/** Everything after the position `from`, up to the position `to`. */
export type Range = Omit<Carried, 'member'>;

/**
 * Of one member, older ranges are dropped: their messages are reported as stored again, never more than is
 * known.
 */
export const maxRangesPerMember = 64;

/**
 * Returns a member's ranges, oldest first, with one more: ranges that touch or overlap are one. `ranges` is such a
 * list.
 */
export function withRange(ranges: readonly Range[], added: Range): Range[] {
  const touching = ranges.filter(({ from, to }) => from <= added.to && added.from <= to);
  const joined = {
    from: Math.min(added.from, ...touching.map(({ from }) => from)),
    to: Math.max(added.to, ...touching.map(({ to }) => to)),
  };
  const before = ranges.filter(({ to }) => to < joined.from);
  const after = ranges.filter(({ from }) => from > joined.to);
  return [...before, joined, ...after].slice(-maxRangesPerMember);
}

/** Returns the parts of a range that the held ones do not cover. */
export function gapsIn(range: Carried, held: readonly Range[]): Carried[] {
  let { from } = range;
  const gaps: Carried[] = [];
  for (const one of [...held].sort((a, b) => a.from - b.from)) {
    if (one.to <= from) continue;
    if (one.from >= range.to) break;
    if (one.from > from) gaps.push({ ...range, from, to: one.from });
    from = one.to;
  }
  if (from < range.to) gaps.push({ ...range, from });
  return gaps;
}

export interface Arrival {
  sent: Sent;
  members: readonly string[];
}

/** Returns the messages that reached at least one recipient, and those recipients. */
export function arrivals(sent: readonly Sent[], carried: readonly Carried[]): Arrival[] {
  const rangesByMember = Map.groupBy(carried, ({ member }) => member);
  // Most streams carry the same range.
  const byRange = Map.groupBy(carried, ({ from, to }) => `${from}-${to}`);
  const covers = ({ from, to }: Carried, seq: number): boolean => from < seq && seq <= to;
  const reached = (member: string, seq: number): boolean =>
    rangesByMember.get(member)?.some((range) => covers(range, seq)) ?? false;

  function membersOf({ seq, sender, recipient, audience }: Sent): string[] {
    if (recipient !== null) return reached(recipient, seq) ? [recipient] : [];
    if (audience !== 'everyone') return audience.filter((name) => name !== sender && reached(name, seq));
    return [...byRange.values()]
      .filter(([first]) => first !== undefined && covers(first, seq))
      .flatMap((group) => group.map(({ member }) => member))
      .filter((name) => name !== sender);
  }

  return sent
    .map((one) => ({ sent: one, members: membersOf(one) }))
    .filter(({ members }) => members.length > 0);
}
