import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { arrivals, gapsIn, type Sent } from './delivered-news.rules.ts';

const sent = (seq: number, over: Partial<Sent> = {}): Sent => ({
  ...{ seq, id: `m${seq}`, sender: 'ada', recipient: null, audience: 'everyone' },
  ...over,
});

describe('what a range adds to the held ones', () => {
  it('is what no held range covers, position by position', () => {
    const range = fc
      .tuple(fc.nat(30), fc.integer({ min: 1, max: 10 }))
      .map(([from, n]) => ({ from, to: from + n }));
    const positions = ({ from, to }: { from: number; to: number }) =>
      Array.from({ length: to - from }, (_, at) => from + at + 1);
    fc.assert(
      fc.property(range, fc.array(range, { maxLength: 5 }), (added, held) => {
        const known = new Set(held.flatMap(positions));
        const fresh = gapsIn({ member: 'ben', ...added }, held).flatMap(positions);
        expect(fresh).toEqual(positions(added).filter((at) => !known.has(at)));
      }),
    );
  });
});

describe('the messages that arrived', () => {
  it('name each recipient whose range covers them, and never the sender', () => {
    const carried = [
      { member: 'ada', from: 0, to: 9 },
      { member: 'ben', from: 0, to: 2 },
      { member: 'cy', from: 1, to: 2 },
    ];
    const messages = [
      sent(1),
      sent(2, { audience: ['ada', 'cy'] }),
      sent(2, { recipient: 'ben', audience: ['ada', 'ben'] }),
      sent(3),
    ];
    expect(arrivals(messages, carried).map(({ sent: { seq }, members }) => [seq, members])).toEqual([
      [1, ['ben']],
      [2, ['cy']],
      [2, ['ben']],
    ]);
  });
});
