import { describe, expect, it } from 'vitest';
import {
  clearedCookies,
  freshCookies,
  hashSessionCookie,
  isSessionCookie,
  mintSessionCookie,
  ownCookieName,
} from './session-cookie.ts';

const plainPlace = { scheme: 'http', port: 8717 } as const;
const securePlace = { scheme: 'https', port: 8443 } as const;

describe('the session cookie', () => {
  it('is 43 base64url characters, HttpOnly, SameSite=Strict, for 7 days, and Secure over HTTPS only', () => {
    const plain = '=x; Path=/; HttpOnly; SameSite=Strict; Max-Age=604800';
    expect(freshCookies('x', plainPlace)).toEqual([`svc_session${plain}`, `svc_session_http_8717${plain}`]);
    expect(freshCookies('x', securePlace)).toEqual([
      `svc_session${plain}; Secure`,
      `svc_session_https_8443${plain}; Secure`,
    ]);
    expect(ownCookieName('svc_device', securePlace)).toBe('svc_device_https_8443');
    expect(mintSessionCookie()).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(isSessionCookie(mintSessionCookie())).toBe(true);
    expect(isSessionCookie(`${mintSessionCookie()}=`)).toBe(false);
  });

  it('is cleared with the same attributes and no lifetime', () => {
    const cleared = '=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0';
    expect(clearedCookies(plainPlace, false)).toEqual([
      `svc_session${cleared}`,
      `svc_session_http_8717${cleared}`,
    ]);
    expect(clearedCookies(securePlace, true)).toEqual([`svc_session_https_8443${cleared}; Secure`]);
  });

  it('is stored as a hash', () => {
    expect(hashSessionCookie('x')).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(hashSessionCookie('x')).not.toBe(hashSessionCookie('y'));
  });
});
