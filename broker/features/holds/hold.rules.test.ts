import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { limits } from '#protocol/limits.ts';
import { type Candidate, type Earlier, type Hops, holdReasonOf, hopsOf } from './hold.rules.ts';

const { pairPosts, pairWindowMs, answersWithinMs } = limits.holds;
const now = 1_800_000_000_000;
const post = (sender: string, hops: Hops = 1, ago = 1): Earlier => ({ sender, hops, ts: now - ago });
const direct = { sender: 'a', isDirect: true, now };
const group = { sender: 'a', isDirect: false, now };
const candidate = (over: Partial<Candidate> = {}): Candidate => ({
  sender: 'a',
  hops: 1,
  maxHops: 12,
  isDirect: true,
  now,
  ...over,
});
const posts = (count: number, sender: string) => Array.from({ length: count }, () => post(sender));

describe('hops', () => {
  it('are one more than those of the farthest cause', () => {
    expect(hopsOf([null], [], direct)).toBe(1);
    expect(hopsOf([0, 3, null], [], direct)).toBe(4);
  });

  it('of a direct message without causes are those of an answer to the other side, for ten minutes', () => {
    expect(hopsOf([], [post('a', 9), post('b', 8), post('b', 2)], direct)).toBe(9);
    expect(hopsOf([], [post('b', null)], direct)).toBe(1);
    expect(hopsOf([], [post('b', 8, answersWithinMs)], direct)).toBe(1);
    expect(hopsOf([], [], direct)).toBe(1);
  });

  it('of a post in a group without causes begin anew', () => {
    expect(hopsOf([], [post('b', 8)], group)).toBe(1);
  });

  it('are always more than those of every cause', () => {
    const hops = fc.option(fc.nat(50));
    fc.assert(
      fc.property(fc.array(hops, { minLength: 1 }), fc.boolean(), (causes, isDirect) => {
        const mine = hopsOf(causes, [post('b', 99)], { ...direct, isDirect });
        for (const cause of causes) expect(mine).toBeGreaterThan(cause ?? 0);
      }),
    );
  });
});

describe('a post of an agent', () => {
  it('is held once it has more hops than the team lets pass', () => {
    expect(holdReasonOf(candidate({ hops: 12 }), [])).toBeNull();
    expect(holdReasonOf(candidate({ hops: 13 }), [])).toBe('hops');
  });

  it('is held when both sides of a direct exchange have written too much within the window', () => {
    const full = [...posts(pairPosts / 2, 'a'), ...posts(pairPosts / 2, 'b')];
    expect(holdReasonOf(candidate(), full.slice(1))).toBeNull();
    expect(holdReasonOf(candidate(), full)).toBe('rate');
    expect(holdReasonOf(candidate(), posts(pairPosts, 'a'))).toBe('rate');
    expect(holdReasonOf(candidate({ now: now + pairWindowMs }), full)).toBeNull();
  });

  it.each([null, 0])(
    'is not held for what was before a message with hops %s, which stands for a person',
    (hops) => {
      expect(holdReasonOf(candidate(), [post('c', hops), ...posts(50, 'b')])).toBeNull();
    },
  );

  it('is held in a group for an exchange with one other agent, not for reports to nobody', () => {
    const reports = posts(100, 'a');
    const reply = candidate({ isDirect: false });
    expect(holdReasonOf(reply, reports)).toBeNull();
    expect(holdReasonOf(reply, [...reports, ...posts(pairPosts / 2, 'b')])).toBeNull();
    expect(holdReasonOf(reply, [...reports, ...posts(pairPosts / 2 + 1, 'b')])).toBe('rate');
  });

  it('is not held for a fan-out from a lead to many workers and one answer of each', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 19 }), (count) => {
        const workers = Array.from({ length: count }, (_, index) => `w${index}`);
        const written: Earlier[] = [];
        for (const sender of [...workers.map(() => 'lead'), ...workers]) {
          expect(holdReasonOf(candidate({ sender, hops: 2, isDirect: false }), written)).toBeNull();
          written.unshift(post(sender));
        }
      }),
    );
  });

  it('of two agents that always answer passes at most as often as the pace lets it, in any order', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', 'b'), { maxLength: 80 }), (order) => {
        const written: Earlier[] = [];
        for (const sender of order)
          if (holdReasonOf(candidate({ sender }), written) === null) written.unshift(post(sender));
        expect(written.length).toBeLessThanOrEqual(pairPosts);
      }),
    );
  });
});
