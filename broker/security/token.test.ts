import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { hashToken, mintToken, tokenHashPattern, tokenPattern } from './token.ts';

it('mints svc_ and base64url of 32 random bytes, never the same twice', () => {
  const tokens = Array.from({ length: 100 }, mintToken);
  for (const token of tokens) {
    expect(token).toMatch(/^svc_[A-Za-z0-9_-]{43}$/);
    expect(token).toMatch(tokenPattern);
    expect(Buffer.from(token.slice(4), 'base64url')).toHaveLength(32);
  }
  expect(new Set(tokens).size).toBe(100);
});

it('stores a token as sha256:<hex> of the whole token', () => {
  expect(hashToken('svc_abc')).toBe(`sha256:${createHash('sha256').update('svc_abc').digest('hex')}`);
  expect(hashToken('svc_abc')).toMatch(tokenHashPattern);
});

it.each(['', 'svc_', 'SVC_abc', 'svc_a.b', 'svc_a b', ' svc_abc', 'svc_abc\n', 'a.b.c'])(
  'does not accept %j as a token',
  (text) => {
    expect(tokenPattern.test(text)).toBe(false);
  },
);
