import { describe, expect, it } from 'vitest';
import type { Message } from '#protocol/message.ts';
import { continuesAfter, firstUnreadId } from './transcript.rules.ts';

const message = (part: object = {}) =>
  ({ id: 'm1', ts: 0, from: 'ben', to: null, title: null, body: 'x', data: {}, ...part }) as Message;

describe('a message', () => {
  it('continues the previous message from the same sender within a minute', () => {
    expect(continuesAfter(message(), message({ ts: 59_999 }))).toBe(true);
  });

  it.each<[string, Message | undefined, Message]>([
    ['that is the first', undefined, message()],
    ['of another sender', message(), message({ from: 'ada' })],
    ['after a minute', message(), message({ ts: 60_000 })],
    ['with a title', message(), message({ title: 'News' })],
    ['after a notice', message({ data: { event: { type: 'objective.blocked' } } }), message()],
  ])('%s stands by itself', (_case, before, next) => {
    expect(continuesAfter(before, next)).toBe(false);
  });
});

describe('the line "New"', () => {
  const messages = [message({ id: 'm1' }), message({ id: 'm2', from: 'ada' }), message({ id: 'm3' })];

  it('stands before the first message of other members after the position that was read', () => {
    expect(firstUnreadId(messages, 'm1', 'ada')).toBe('m3');
  });

  it('is missing if everything is read or nothing ever was', () => {
    expect(firstUnreadId(messages, 'm3', 'ada')).toBeUndefined();
    expect(firstUnreadId(messages, null, 'ada')).toBeUndefined();
  });
});
