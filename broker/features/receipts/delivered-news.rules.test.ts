import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  arrivals,
  gapsIn,
  maxRangesPerMember,
  type Range,
  type Sent,
  withRange,
} from './delivered-news.rules.ts';

const sent = (seq: number, over: Partial<Sent> = {}): Sent => ({
  ...{ seq, id: `m${seq}`, sender: 'ada', recipient: null, audience: 'everyone' },
  ...over,
});

const range = fc
  .tuple(fc.nat(30), fc.integer({ min: 1, max: 10 }))
  .map(([from, n]) => ({ from, to: from + n }));
const positions = ({ from, to }: Range) => Array.from({ length: to - from }, (_, at) => from + at + 1);

describe('ranges that are joined one after the other', () => {
  it('cover what each of them covers, and are apart from each other, oldest first', () => {
    fc.assert(
      fc.property(fc.array(range, { maxLength: 8 }), (added) => {
        const joined = added.reduce<Range[]>(withRange, []);
        const covered = [...new Set(added.flatMap(positions))].sort((a, b) => a - b);
        expect(joined.flatMap(positions)).toEqual(covered);
        for (const [at, { from }] of joined.entries()) expect(from).toBeGreaterThan(joined[at - 1]?.to ?? -1);
      }),
    );
  });

  it('are bounded: the oldest are dropped', () => {
    const apart = Array.from({ length: maxRangesPerMember + 2 }, (_, n) => ({ from: 2 * n, to: 2 * n + 1 }));
    expect(apart.reduce<Range[]>(withRange, [])).toEqual(apart.slice(2));
  });
});

describe('what a range adds to the held ones', () => {
  it('is what no held range covers, position by position', () => {
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
