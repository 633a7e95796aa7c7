/** Decides whose push messages may wait, and whose are sent (specification/web-push.md#sending). Pure. */

export const pushPlaces = {
  waiting: 2000,
  waitingPerMember: 400,
  waitingPerSubscription: 50,
  atOnce: 8,
  atOncePerMember: 2,
} as const;

/**
 * Whether one more of a member may be sent, of whom `own` are being sent, and `all` of everybody. One always
 * may, so that members whose push services do not answer cannot keep the others waiting.
 */
export function maySend(own: number, all: number): boolean {
  return own === 0 || (own < pushPlaces.atOncePerMember && all < pushPlaces.atOnce);
}

/**
 * Returns who has to give up a waiting message before `own` gets a place: itself if its share is full, who has
 * the most if all places are taken, and otherwise nobody (null). `all` are those with waiting messages.
 */
export function loserFor<Share extends { waiting: number }>(
  own: Share,
  all: Iterable<Share>,
  waiting: number,
): Share | null {
  if (own.waiting >= pushPlaces.waitingPerMember) return own;
  if (waiting < pushPlaces.waiting) return null;
  let fullest = own;
  for (const share of all) if (share.waiting > fullest.waiting) fullest = share;
  return fullest;
}
