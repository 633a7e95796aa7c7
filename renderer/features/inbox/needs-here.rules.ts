/** The items of the inbox about the members or the objectives that a screen shows. Pure. */
import type { InboxItem } from '#protocol/inbox.ts';
import { moreUnreadKey } from '#protocol/inbox-about.ts';

export interface Known {
  /** Undefined until the inbox is loaded. */
  items: readonly InboxItem[] | undefined;
  /** The newest request for the inbox failed, so that the items may be out of date. */
  hasFailed: boolean;
  /** Undefined until the screen knows what it shows. */
  isHere: ((item: InboxItem) => boolean) | undefined;
  /** The screen shows a sign that something needs the reader, although the item may have been dealt with. */
  hasSigns: boolean;
}

/** Returns the items, the most urgent first; none only if nothing is needed; null if that is not known. */
export function needsHere({ items, hasFailed, isHere, hasSigns }: Known): readonly InboxItem[] | null {
  if (items === undefined || isHere === undefined) return null;
  const here = items.filter(isHere);
  const isCut = items.some(({ key }) => key === moreUnreadKey);
  return here.length > 0 || !(hasFailed || isCut || hasSigns) ? here : null;
}
