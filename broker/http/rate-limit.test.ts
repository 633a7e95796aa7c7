import { describe, expect, it } from 'vitest';
import { createRateLimit, sourceKey } from './rate-limit.ts';

describe('a rate limit', () => {
  let now = 1_000_000;
  const clock = () => now;
  const create = (maxKeys?: number) =>
    createRateLimit({ max: 3, windowMs: 10_000, clock, ...(maxKeys !== undefined && { maxKeys }) });

  it('admits at most its number within any window, and Retry-After is a promise', () => {
    const limit = create();
    for (let i = 0; i < 3; i++) {
      limit.admit('a', 'too_many_lookups');
      now += 2_000;
    }
    expect(() => limit.admit('a', 'too_many_lookups')).toThrow(
      expect.objectContaining({
        code: 'rate_limited',
        retryAfter: 4,
        reason: 'too_many_lookups',
        message: 'too many lookups failed; try again in 4 seconds',
      }),
    );
    now += 3_999;
    expect(limit.wait('a')).toBe(1);
    now += 1;
    limit.admit('a', 'too_many_lookups');
    expect(limit.wait('a')).toBe(2);
  });

  it('counts keys separately, takes counts back, and clears them', () => {
    const limit = create();
    const takeBack = [1, 2, 3].map(() => limit.count('a'));
    expect(limit.wait('a')).toBe(10);
    expect(limit.wait('b')).toBe(0);
    takeBack[1]?.();
    expect(limit.wait('a')).toBe(0);
    limit.count('a');
    expect(limit.wait('a')).toBe(10);
    limit.clear('a');
    expect(limit.wait('a')).toBe(0);
  });

  it('does not keep a count longer than its window when the clock is set back', () => {
    const limit = create();
    for (let i = 0; i < 3; i++) limit.count('a');
    now -= 86_400_000;
    expect(limit.wait('a')).toBe(0);
    for (let i = 0; i < 3; i++) limit.count('a');
    expect(limit.wait('a')).toBe(10);
  });

  it('holds a limited number of keys: the one counted longest ago is dropped', () => {
    const limit = create(100);
    for (let i = 0; i < 3; i++) limit.count('first');
    for (let i = 0; i < 99; i++) for (let j = 0; j < 3; j++) limit.count(`key ${i}`);
    expect(limit.wait('first')).toBe(10);
    limit.count('one more');
    expect(limit.wait('first')).toBe(0);
    expect(limit.wait('key 0')).toBe(10);
  });
});

describe('a source address', () => {
  it.each([
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['::FFFF:192.0.2.7', '192.0.2.7'],
    ['2a00:1:2:3:4:5:6:7', '2a00:1:2:3::/64'],
    ['2A00:0001:2:3::9', '2a00:1:2:3::/64'],
    ['2a00:1::9', '2a00:1:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['unknown', 'unknown'],
    ['x'.repeat(9999), 'x'.repeat(64)],
  ])('%s counts as %s', (address, key) => {
    expect(sourceKey(address)).toBe(key);
  });

  it('belongs to a network, which is the /48 of an IPv6 address', () => {
    expect(sourceKey('2a00:1:2:3:4:5:6:7', 48)).toBe('2a00:1:2::/48');
    expect(sourceKey('192.0.2.7', 48)).toBe('192.0.2.7');
  });
});
