/**
 * The change that a live message makes in a cached thread: it is added once, in its place, and nothing else changes.
 */
import { describe, expect, it } from 'vitest';
import type { Message } from '#protocol/message.ts';
import { newerPlace, olderPlace, type ThreadPages, withMessage } from './thread-pages.ts';

const idOf = (n: number) => String(n).padStart(6, '0');
const message = (n: number) =>
  ({ id: idOf(n), ts: n, from: 'ben', to: null, body: 'x', data: {} }) as Message;
/** Pages, newest page first, each page newest first. */
const held = (...pages: number[][]): ThreadPages => ({
  pages: pages.map((page) => ({ messages: page.map(message), hasOlder: true, hasNewer: false })),
  pageParams: pages.map(() => null),
});
const numbers = ({ pages }: ThreadPages) => pages.map(({ messages }) => messages.map(({ ts }) => ts));

describe('a message of the live stream', () => {
  it('is put first in the newest page, and the older pages stay the same objects', () => {
    const before = held([5, 4], [3, 2]);
    const after = withMessage(before, message(6));
    expect(numbers(after)).toEqual([
      [6, 5, 4],
      [3, 2],
    ]);
    expect(after.pages[1]).toBe(before.pages[1]);
  });

  it('that tells of a change takes the former text from the message and from the notice of the edit before', () => {
    const event = (type: string) => ({ event: { type, messageId: idOf(2) } });
    const edit = { ...message(4), body: 'second', data: event('message.edited') };
    const removal = { ...message(6), body: 'deleted it', data: event('message.deleted') };
    const after = withMessage(withMessage(held([3], [2]), edit), removal);
    const bodies = after.pages.flatMap(({ messages }) => messages.map(({ id, body }) => [id, body]));
    expect(bodies).toEqual([
      [idOf(6), 'deleted it'],
      [idOf(4), 'This message was deleted.'],
      [idOf(3), 'x'],
      [idOf(2), 'This message was deleted.'],
    ]);
  });

  it('that is already known changes nothing, in whichever page it is', () => {
    const before = held([5, 4], [3, 2]);
    for (const known of [5, 4, 3, 2]) expect(withMessage(before, message(known))).toBe(before);
  });

  it('that arrives out of order is put in its place; one that is older than all cached messages is left to its page', () => {
    const before = held([8, 6], [4, 2]);
    expect(numbers(withMessage(before, message(7)))).toEqual([
      [8, 7, 6],
      [4, 2],
    ]);
    expect(numbers(withMessage(before, message(5)))).toEqual([
      [8, 6],
      [5, 4, 2],
    ]);
    expect(withMessage(before, message(1))).toBe(before);
  });

  it('is the first message of an empty thread', () => {
    expect(numbers(withMessage(held([]), message(1)))).toEqual([[1]]);
    expect(numbers(withMessage({ pages: [], pageParams: [] }, message(1)))).toEqual([[1]]);
  });

  it('keeps pages small and their number bounded after ten thousand messages, and loses none', () => {
    let thread = held([]);
    for (let n = 1; n <= 10_000; n++) thread = withMessage(thread, message(n));
    expect(numbers(thread).flat()).toEqual(Array.from({ length: 10_000 }, (_, n) => 10_000 - n));
    expect(Math.max(...numbers(thread).map(({ length }) => length))).toBeLessThanOrEqual(400);
    expect(thread.pageParams).toHaveLength(thread.pages.length);
    for (let n = 10_001; n <= 60_000; n++) thread = withMessage(thread, message(n));
    expect(thread.pages).toHaveLength(100);
    expect(numbers(thread)[0]?.[0]).toBe(60_000);
  });

  it('is left to its page in a part of the thread that has newer messages', () => {
    const part = held([5, 4]);
    const before = { ...part, pages: part.pages.map((page) => ({ ...page, hasNewer: true })) };
    expect(withMessage(before, message(9))).toBe(before);
    expect(withMessage(before, message(4))).toBe(before);
  });
});

describe('the page beside a page', () => {
  const page = (ids: number[], hasOlder: boolean, hasNewer: boolean) => ({
    messages: ids.map(message),
    hasOlder,
    hasNewer,
  });

  it('is before its oldest message, and after its newest one', () => {
    expect(olderPlace(page([5, 4], true, true), { kind: 'end' })).toEqual({
      kind: 'older',
      before: '4',
      beforeId: idOf(4),
    });
    expect(newerPlace(page([5, 4], true, true))).toEqual({ kind: 'newer', after: idOf(5) });
    expect(olderPlace(page([5, 4], false, true), { kind: 'end' })).toBeUndefined();
    expect(newerPlace(page([5, 4], true, false))).toBeUndefined();
  });

  it('is around the message after which nothing is left', () => {
    expect(olderPlace(page([], true, false), { kind: 'newer', after: 'x' })).toEqual({
      kind: 'around',
      id: 'x',
    });
    expect(olderPlace(page([], false, false), { kind: 'end' })).toBeUndefined();
  });
});
