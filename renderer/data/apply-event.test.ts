/**
 * What a live message changes in a cached thread: it is added once, in its place, and nothing else changes.
 */
import { describe, expect, it } from 'vitest';
import type { Message } from '#protocol/message.ts';
import type { Unread } from '#protocol/receipt.ts';
import { applyEvent, type ThreadPages, withMessage, withUnread } from './apply-event.ts';

const idOf = (n: number) => String(n).padStart(6, '0');
const message = (n: number) =>
  ({ id: idOf(n), ts: n, from: 'ben', to: null, body: 'x', data: {} }) as Message;
/** Pages, newest page first, each page newest first. */
const held = (...pages: number[][]): ThreadPages => ({
  pages: pages.map((page) => ({ messages: page.map(message) })),
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
});

describe('a receipt', () => {
  const about = (data: object) => applyEvent('receipt', data, 'ada').map(({ key }) => key[0]);

  it('for the member’s own reading refetches the unread counts; one for another member does not', () => {
    expect(about({ messageId: 'x', member: 'ada', state: 'read', at: 1 })).toEqual(['receipts', 'unread']);
    expect(about({ messageId: 'x', member: 'ben', state: 'read', at: 1 })).toEqual(['receipts']);
  });
});

describe('an unread message', () => {
  const none: Unread = { scopes: [], newestId: null };
  const general = (count: number) => ({ scope: 'general', count, mentions: 0, lastReadId: null });
  const counted = (held: Unread, n: number) => withUnread(held, 'general', message(n), 'ada');

  it('is counted once, whether the cached counts are from before or after it', () => {
    const two: Unread = { scopes: [general(2)], newestId: idOf(2) };
    expect(counted({ scopes: [general(1)], newestId: idOf(1) }, 2)).toEqual(two);
    expect(counted(two, 2)).toBe(two);
    expect(counted(two, 1)).toBe(two);
  });

  it('leaves the mark of counts that are only a part', () => {
    expect(counted({ ...none, more: true }, 1)).toMatchObject({ more: true });
  });

  it('starts a count if there was none, and leaves other conversations unchanged', () => {
    const one: Unread = { scopes: [general(1)], newestId: idOf(1) };
    expect(counted(none, 1)).toEqual(one);
    expect(counted({ scopes: [general(0)], newestId: null }, 1)).toEqual(one);
    const direct = { scope: 'dm:ben', count: 3, mentions: 1, lastReadId: null };
    const { scopes } = counted({ scopes: [direct, general(1)], newestId: idOf(1) }, 2);
    expect(scopes).toEqual([direct, general(2)]);
  });

  it('counts as a mention only with the whole name, as in the broker', () => {
    const mentions = (body: string) =>
      withUnread(none, 'general', { ...message(1), body }, 'ada').scopes[0]?.mentions;
    expect(mentions('look, @ada.')).toBe(1);
    expect(mentions('(@ada)')).toBe(1);
    for (const other of ['@ada-2', '@ada.lovelace', '@adam', 'mail@ada'])
      expect(mentions(`look, ${other}`), other).toBe(0);
  });
});

describe('an event of the live stream', () => {
  const keysOf = (event: string, data: object) => applyEvent(event, data, 'ada').map(({ key }) => key);

  it('adds a message to the conversation in which the reader sees it', () => {
    const threadOf = (part: object) => keysOf('message', { ...message(1), ...part })[0];
    expect(threadOf({})).toEqual(['thread', 'general']);
    expect(threadOf({ data: { thread: 'chan:general' } })).toEqual(['thread', 'general']);
    expect(threadOf({ data: { thread: 'chan:c1' } })).toEqual(['thread', 'chan:c1']);
    expect(threadOf({ to: 'ada' })).toEqual(['thread', 'dm:ben']);
    expect(threadOf({ from: 'ada', to: 'ben' })).toEqual(['thread', 'dm:ben']);
  });

  it('refetches an objective when a notice in its thread reports a change', () => {
    const data = { thread: 'obj:o1', event: { type: 'objective.blocked' } };
    expect(keysOf('message', { ...message(1), data })).toContainEqual(['objective', 'o1']);
  });

  it('refetches a channel and its thread when the channel changes', () => {
    expect(keysOf('change', { resource: 'channel', id: 'c1' })).toContainEqual(['thread', 'chan:c1']);
  });

  it('refetches everything after a reset, and nothing for an unknown event', () => {
    expect(keysOf('reset', {})).toEqual([[]]);
    expect(keysOf('weather', {})).toEqual([]);
  });
});
