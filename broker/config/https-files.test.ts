import { X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasLimits } from '../security/name-constraints.ts';
import { makeHttpsFiles } from './https-files.ts';
import { tempFolder } from './testing/config-fixture.ts';
import { writeUnlimitedAuthority } from './testing/unlimited-authority.ts';

const dayMs = 86_400_000;
const now = Date.now();
const namesWith = (configured: string[] = [], addresses: string[] = ['10.0.0.7']) => ({
  configured,
  all: ['box', ...addresses, 'box.local', ...configured, 'localhost'],
});

async function inFolder() {
  const path = join(await tempFolder(), 'svc.json');
  return {
    path,
    make: (names = namesWith(), at = now) => makeHttpsFiles(path, { teamName: 'Lab', names, now: at }),
  };
}

const certificate = (pem: string): X509Certificate => new X509Certificate(pem);
const keyOf = (pem: string): string =>
  certificate(pem).publicKey.export({ type: 'spki', format: 'pem' }).toString();

describe('the files of the https block', () => {
  it('keep the authority as it is while it is valid and may sign for the names', async () => {
    const { make } = await inFolder();
    const first = await make();
    const second = await make(namesWith([], ['10.0.0.8']));
    expect(second).toMatchObject({ authority: first.authority, renewedAuthority: null, keptKey: true });
    expect(certificate(second.certificate).checkIP('10.0.0.8')).toBe('10.0.0.8');
  });

  it('renew the authority more than a year before its end, under the same key', async () => {
    const { make } = await inFolder();
    const first = await make();
    const later = certificate(first.authority).validToDate.getTime() - 426 * dayMs;
    const second = await make(namesWith(), later);
    expect(second.renewedAuthority).toBe('expiry');
    expect(keyOf(second.authority)).toBe(keyOf(first.authority));
    expect(keyOf(second.certificate)).toBe(keyOf(first.certificate));
    expect(certificate(second.authority).validToDate.getTime()).toBeGreaterThan(later + 3600 * dayMs);
    expect((await make(namesWith(), later)).renewedAuthority).toBeNull();
  });

  it.each([
    ['any name', undefined],
    ['any purpose', ['box']],
  ])(
    'give limits to an authority of a former version that may sign for %s, under the same key',
    async (_, names) => {
      const { path, make } = await inFolder();
      const first = await make();
      const unlimited = await writeUnlimitedAuthority(path, names);
      expect(hasLimits(certificate(unlimited).raw)).toBe(false);
      const second = await make();
      expect(second.renewedAuthority).toBe('limits');
      expect(hasLimits(certificate(second.authority).raw)).toBe(true);
      expect(keyOf(second.authority)).toBe(keyOf(first.authority));
      expect(certificate(second.certificate).verify(certificate(unlimited).publicKey)).toBe(true);
      expect((await make()).renewedAuthority).toBeNull();
    },
  );

  it('leave out a name that the authority may not sign for, unless it is configured', async () => {
    const { make } = await inFolder();
    const { authority } = await make();
    const moved = await make(namesWith([], ['203.0.113.7']));
    expect(moved).toMatchObject({ authority, renewedAuthority: null });
    expect(certificate(moved.certificate).checkIP('203.0.113.7')).toBeUndefined();
    expect(certificate(moved.certificate).checkHost('box.local')).toBe('box.local');
    const named = await make(namesWith(['team.example.com']));
    expect(named.renewedAuthority).toBe('names');
    expect(certificate(named.certificate).checkHost('team.example.com')).toBe('team.example.com');
  });
});
