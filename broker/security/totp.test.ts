import { generateSync, ScureBase32Plugin } from 'otplib';
import { describe, expect, it } from 'vitest';
import { codeAt } from '../testing/test-authenticator.ts';
import { mintTotpSecret, normalTotpSecret, totpUri } from './totp.ts';
import { totpStepOf } from './totp-codes.ts';

it('mints 160-bit secrets in base32 that an authenticator accepts, never the same twice', () => {
  const secrets = Array.from({ length: 100 }, mintTotpSecret);
  for (const secret of secrets) {
    expect(secret).toMatch(/^[A-Z2-7]{32}$/);
    expect(new ScureBase32Plugin().decode(secret)).toHaveLength(20);
    expect(generateSync({ secret })).toMatch(/^\d{6}$/);
  }
  expect(new Set(secrets).size).toBe(100);
});

describe('the URI otpauth://totp/<team>:<member>?secret=…&issuer=<team>', () => {
  it('is written plainly for a plain name', () => {
    expect(totpUri('Crew', 'ada', 'ABC')).toBe('otpauth://totp/Crew:ada?secret=ABC&issuer=Crew');
  });

  it.each(['Ada & co', 'a:b', 'a/b?c#d', '100% + ü', 'x=y&issuer=z', '船'])(
    'carries the team %j completely',
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

describe('the step of a code', () => {
  // RFC 6238, appendix B, SHA-1; its eight digits end in the six that are used here.
  const rfcSecret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';
  it.each([
    [59, '94287082'],
    [1111111109, '07081804'],
    [1111111111, '14050471'],
    [1234567890, '89005924'],
    [2000000000, '69279037'],
    [20000000000, '65353130'],
  ])('is that of RFC 6238 at %d s', (seconds, eightDigits) => {
    const code = eightDigits.slice(2);
    expect(totpStepOf(rfcSecret, code, seconds * 1000)).toBe(Math.floor(seconds / 30));
  });

  it('is found one step of drift either way, and no further', () => {
    const now = 1_800_000_015_000;
    const step = Math.floor(now / 30_000);
    const found = [-2, -1, 0, 1, 2].map((drift) =>
      totpStepOf(rfcSecret, generateSync({ secret: rfcSecret, epoch: now / 1000 + drift * 30 }), now),
    );
    expect(found).toEqual([null, step - 1, step, step + 1, null]);
  });

  it('is found for every accepted secret: 80 bits, long ones, and bits that do not fill a byte', () => {
    const now = 1_800_000_000_000;
    for (const secret of ['JBSWY3DPEHPK3PXP', 'JBSWY3DPEHPK3PXPAB', 'A'.repeat(16), 'Q2'.repeat(200)]) {
      expect(normalTotpSecret(secret)).toBe(secret);
      expect(totpStepOf(secret, codeAt(secret, now), now)).toBe(now / 30_000);
    }
  });

  it('is null for anything except six digits', () => {
    for (const code of ['', '1', '1234567', '☃☃']) expect(totpStepOf(rfcSecret, code, 59_000)).toBeNull();
  });
});
