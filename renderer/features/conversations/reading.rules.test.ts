import { describe, expect, it } from 'vitest';
import type { Message } from '#protocol/message.ts';
import { firstNotRead, isLoaded, placeOf, type ReadUpTo, readAfterSight } from './reading.rules.ts';

const message = (id: string, from = 'ben') => ({ id, from }) as Message;
const messages = ['a', 'b', 'c', 'd', 'e', 'f'].map((id) => message(id));
const shown = { messages, hasOlder: false, self: 'ada' };
const upTo = (id: string): ReadUpTo => ({ id, isIncluded: true });
const upBefore = (id: string): ReadUpTo => ({ id, isIncluded: false });

describe('what was read', () => {
  it('goes on to the last message that was seen to its end', () => {
    expect(readAfterSight(upTo('b'), shown, { top: 1, bottom: 3 })).toEqual(upTo('d'));
    expect(readAfterSight(upBefore('c'), shown, { top: 2, bottom: 5 })).toEqual(upTo('f'));
  });

  it('stays when unread messages before those on the screen were not seen', () => {
    expect(readAfterSight(upTo('b'), shown, { top: 3, bottom: 5 })).toEqual(upTo('b'));
  });

  it('stays when the first unread message is not on the screen to its end, and when all is read', () => {
    expect(readAfterSight(upTo('d'), shown, { top: 1, bottom: 3 })).toEqual(upTo('d'));
    expect(readAfterSight(upTo('b'), shown, { top: 2, bottom: 1 })).toEqual(upTo('b'));
    expect(readAfterSight(upTo('f'), shown, { top: 2, bottom: 5 })).toEqual(upTo('f'));
  });

  it('passes over the member’s own messages', () => {
    const own = { ...shown, messages: messages.map((one) => (one.id < 'd' ? message(one.id, 'ada') : one)) };
    expect(readAfterSight(upTo(''), own, { top: 3, bottom: 5 })).toEqual(upTo('f'));
    expect(firstNotRead(own, upTo(''))).toBe(3);
  });

  it('stays when unread messages may be before those that are loaded', () => {
    const part = { ...shown, hasOlder: true };
    expect(readAfterSight(upTo(''), part, { top: 0, bottom: 5 })).toEqual(upTo(''));
    expect(readAfterSight(upBefore('a'), part, { top: 0, bottom: 5 })).toEqual(upTo('f'));
  });
});

describe('a message that is to be shown', () => {
  const part = { messages, hasOlder: true, hasNewer: true };
  it('is loaded if its place is among the messages', () => {
    expect(isLoaded('c', part)).toBe(true);
    expect(isLoaded('cc', part)).toBe(true);
    expect(isLoaded('A', part)).toBe(false);
    expect(isLoaded('g', part)).toBe(false);
    expect(isLoaded('A', { ...part, hasOlder: false })).toBe(true);
    expect(isLoaded('g', { ...part, hasNewer: false })).toBe(true);
  });

  it('that is gone has the place of the next one', () => {
    expect([placeOf('c', messages), placeOf('cc', messages), placeOf('g', messages)]).toEqual([2, 3, 5]);
  });
});
