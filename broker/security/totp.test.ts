import { generateSync, ScureBase32Plugin } from 'otplib';
import { describe, expect, it } from 'vitest';
import { mintTotpSecret, normalTotpSecret, totpUri } from './totp.ts';

it('mints 160-bit secrets in base32 that an authenticator takes, never the same twice', () => {
  const secrets = Array.from({ length: 100 }, mintTotpSecret);
  for (const secret of secrets) {
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(new ScureBase32Plugin().decode(secret)).toHaveLength(20);
    expect(generateSync({ secret })).toMatch(/^\d{6}$/);
  }
  expect(new Set(secrets).size).toBe(100);
});

describe('the URI is otpauth://totp/<team>:<member>?secret=…&issuer=<team> (D4)', () => {
  it('is written plainly for a plain name', () => {
    expect(totpUri('Crew', 'ada', 'ABC')).toBe('otpauth://totp/Crew:ada?secret=ABC&issuer=Crew');
  });

  it.each(['Ada & co', 'a:b', 'a/b?c#d', '100% + ü', 'x=y&issuer=z', '船'])(
    'carries the team %j whole',
    (team) => {
      const written = totpUri(team, 'ada.b', 'ABC');
      const [, issuer, member] = /^otpauth:\/\/totp\/([^:?#/ ]+):([^:?#/ ]+)\?/.exec(written)!;
      expect(decodeURIComponent(issuer!)).toBe(team);
      expect(decodeURIComponent(member!)).toBe('ada.b');
      const query = Object.fromEntries(new URL(written).searchParams);
      expect(query).toEqual({ secret: 'ABC', issuer: team });
      // Some authenticators decode a plus as itself, so a space must not be written as one.
      expect(written).not.toContain('+');
    },
  );
});

it.each([
  ['JBSWY3DPEHPK3PXP', 'JBSWY3DPEHPK3PXP'],
  ['jbsw y3dp ehpk 3pxp', 'JBSWY3DPEHPK3PXP'],
  ['JBSW-Y3DP-EHPK-3PXP-AE======', 'JBSWY3DPEHPK3PXPAE'],
  ['JBSWY3DPEHPK3PX', null],
  ['JBSWY3DPEHPK3PXPA', null],
  ['JBSWY3DPEHPK3PX1', null],
  ['', null],
])('reads the written secret %j as %j', (written, normal) => {
  expect(normalTotpSecret(written)).toBe(normal);
});
