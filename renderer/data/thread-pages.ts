/**
 * A thread as the cache keeps it: pages of messages, newest page first and each page newest first, from the end of the
 * conversation or from anywhere in it.
 */
import type { Message } from '#protocol/message.ts';
import { changedBy, noticedChange, withoutText } from './message-changes.rules.ts';

export interface ThreadPage {
  messages: Message[];
  hasOlder: boolean;
  hasNewer: boolean;
}

/** The place of the requested page. */
export type PagePlace =
  | { kind: 'end' }
  | { kind: 'around'; id: string }
  | { kind: 'older'; before: string; beforeId: string }
  | { kind: 'newer'; after: string };

export interface ThreadPages {
  pages: ThreadPage[];
  pageParams: unknown[];
}

/** Returns where the page before the oldest one is; undefined if there is none. */
export function olderPlace(page: ThreadPage, place: PagePlace): PagePlace | undefined {
  const oldest = page.messages.at(-1);
  if (!page.hasOlder) return undefined;
  if (oldest !== undefined) return { kind: 'older', before: String(oldest.ts), beforeId: oldest.id };
  // The newer messages are gone in the meantime.
  return place.kind === 'newer' ? { kind: 'around', id: place.after } : undefined;
}

/** Returns where the page after the newest one is; undefined if there is none. */
export function newerPlace(page: ThreadPage): PagePlace | undefined {
  const [newest] = page.messages;
  return page.hasNewer && newest !== undefined ? { kind: 'newer', after: newest.id } : undefined;
}

/**
 * The maximum number of messages in a page that live messages fill, because adding a message copies its page.
 */
const maxPageMessages = 400;
/** The oldest live messages beyond this maximum are dropped; scrolling up fetches them again. */
const maxPages = 100;

/** Applies the change that a notice tells of to the message, if it is loaded. */
function withChange(held: ThreadPages, notice: Message): ThreadPages {
  const change = noticedChange(notice);
  if (change === null) return held;
  const { kind, messageId } = change;
  const concerns = (one: Message): boolean =>
    one.id === messageId || (one.deleted === undefined && noticedChange(one)?.messageId === messageId);
  const changed = (one: Message): Message =>
    one.id === messageId ? changedBy(one, notice, kind) : withoutText(one, notice);
  const pages = held.pages.map((page) =>
    page.messages.some(concerns)
      ? { ...page, messages: page.messages.map((one) => (concerns(one) ? changed(one) : one)) }
      : page,
  );
  return { ...held, pages };
}

/** Adds a live message, and applies the change that it may tell of. */
export const withMessage = (held: ThreadPages, message: Message): ThreadPages =>
  withAdded(withChange(held, message), message);

/**
 * Ids increase in the order of acceptance, so the new message is almost always the newest and no page is
 * searched.
 */
function withAdded(held: ThreadPages, message: Message): ThreadPages {
  const [first = { messages: [], hasOlder: false, hasNewer: false }, ...rest] = held.pages;
  const newest = first.messages[0];
  if (newest === undefined || newest.id < message.id) {
    // It arrives with its page.
    if (first.hasNewer) return held;
    if (newest === undefined || first.messages.length < maxPageMessages)
      return { ...held, pages: [{ ...first, messages: [message, ...first.messages] }, ...rest] };
    const end: PagePlace = { kind: 'end' };
    return {
      pages: [{ messages: [message], hasOlder: true, hasNewer: false }, ...held.pages].slice(0, maxPages),
      pageParams: [end, ...held.pageParams].slice(0, maxPages),
    };
  }
  const at = held.pages.findIndex(({ messages }) => (messages.at(-1)?.id ?? '') <= message.id);
  const page = held.pages[at];
  // Older than all cached messages: it arrives with its page.
  if (page === undefined) return held;
  const place = page.messages.findIndex(({ id }) => id <= message.id);
  if (page.messages[place]?.id === message.id) return held;
  return {
    ...held,
    pages: held.pages.with(at, { ...page, messages: page.messages.toSpliced(place, 0, message) }),
  };
}
