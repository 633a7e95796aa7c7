import { describe, expect, it } from 'vitest';
import {
  clearedCookie,
  freshCookie,
  hashSessionCookie,
  isSessionCookie,
  mintSessionCookie,
} from './session-cookie.ts';

describe('the session cookie', () => {
  it('is 43 base64url characters, HttpOnly, SameSite=Strict, for 7 days, and Secure over HTTPS only', () => {
    const plain = 'svc_session=x; Path=/; HttpOnly; SameSite=Strict; Max-Age=604800';
    expect(freshCookie('x', false)).toBe(plain);
    expect(freshCookie('x', true)).toBe(`${plain}; Secure`);
    expect(mintSessionCookie()).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(isSessionCookie(mintSessionCookie())).toBe(true);
    expect(isSessionCookie(`${mintSessionCookie()}=`)).toBe(false);
  });

  it('is cleared with the same attributes and no lifetime', () => {
    const cleared = 'svc_session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0';
    expect(clearedCookie(false)).toBe(cleared);
    expect(clearedCookie(true)).toBe(`${cleared}; Secure`);
  });

  it('is stored as a hash', () => {
    expect(hashSessionCookie('x')).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(hashSessionCookie('x')).not.toBe(hashSessionCookie('y'));
  });
});
