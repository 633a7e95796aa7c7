/** The items of the inbox about the members that a screen shows. Pure. */
import type { InboxItem } from '#protocol/inbox.ts';
import { isAbout, moreUnreadKey } from '#protocol/inbox-about.ts';

export interface Known {
  /** Undefined until the inbox is loaded. */
  items: readonly InboxItem[] | undefined;
  /** The newest request for the inbox failed, so that the items may be out of date. */
  hasFailed: boolean;
  /** Undefined until they are known. */
  names: readonly string[] | undefined;
  /** The screen shows a sign that one of them cannot work, although the item may have been dealt with. */
  hasTrouble: boolean;
}

/** Returns the items, the most urgent first; none only if nothing is needed; null if that is not known. */
export function needsHere({ items, hasFailed, names, hasTrouble }: Known): readonly InboxItem[] | null {
  if (items === undefined || names === undefined) return null;
  const here = items.filter((item) => names.some((name) => isAbout(item, name)));
  const isCut = items.some(({ key }) => key === moreUnreadKey);
  return here.length > 0 || !(hasFailed || isCut || hasTrouble) ? here : null;
}
