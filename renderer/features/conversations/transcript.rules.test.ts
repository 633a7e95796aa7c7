import { describe, expect, it } from 'vitest';
import type { Message } from '#protocol/message.ts';
import { beginsDay, continuesAfter } from './transcript.rules.ts';

const message = (part: object = {}) =>
  ({
    id: 'm1',
    ts: 0,
    level: 'info',
    from: 'ben',
    to: null,
    title: null,
    body: 'x',
    data: {},
    ...part,
  }) as Message;

/** The first moment of a local day; epoch ms. */
const midnight = new Date(2026, 5, 15).getTime();

describe('a day', () => {
  it('begins with its first message', () => {
    expect(beginsDay(undefined, message())).toBe(true);
    expect(beginsDay(message({ ts: midnight - 1 }), message({ ts: midnight }))).toBe(true);
    expect(beginsDay(message({ ts: midnight }), message({ ts: midnight + 86_399_999 }))).toBe(false);
  });

  it('is that of the acceptance, if the stamp is in the future of it', () => {
    const inFuture = (acceptedAt: number) => message({ ts: midnight + 86_400_000_000, acceptedAt });
    expect(beginsDay(inFuture(midnight - 1), inFuture(midnight))).toBe(true);
    expect(beginsDay(message({ ts: midnight }), inFuture(midnight + 1))).toBe(false);
  });
});

describe('a message', () => {
  it('continues the previous message from the same sender within a minute', () => {
    expect(continuesAfter(message(), message({ ts: 59_999 }))).toBe(true);
  });

  it.each<[string, Message | undefined, Message]>([
    ['that is the first', undefined, message()],
    ['of another sender', message(), message({ from: 'ada' })],
    ['after a minute', message(), message({ ts: 60_000 })],
    ['of another level', message(), message({ level: 'critical' })],
    ['on the next day', message({ ts: midnight - 1 }), message({ ts: midnight })],
    ['with a title', message(), message({ title: 'News' })],
    ['after a notice', message({ data: { event: { type: 'objective.blocked' } } }), message()],
  ])('%s stands by itself', (_case, before, next) => {
    expect(continuesAfter(before, next)).toBe(false);
  });
});
