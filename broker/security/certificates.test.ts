import { execFileSync } from 'node:child_process';
import 'reflect-metadata';
import { webcrypto, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, createServer } from 'node:tls';
import * as x509 from '@peculiar/x509';
import { describe, expect, it } from 'vitest';
import {
  createAuthority,
  issueLeaf,
  type KeyAndCertificate,
  permittedBy,
  renewAuthority,
} from './certificates.ts';
import { certificateFingerprint } from './fingerprint.ts';
import { isPermitted, permittedFor } from './name-constraints.ts';

const now = Date.now();
const names = ['box', 'box.local', 'localhost', '127.0.0.1', '::1'];

describe('certificates', () => {
  it('create a leaf that a client accepts which trusts the authority, by name and by address', async () => {
    const authority = await createAuthority({ teamName: 'Lab "1", CN=evil', names, now });
    const leaf = await issueLeaf({ authority, names, now });
    const server = createServer({ key: leaf.key, cert: leaf.certificate }, (socket) => socket.end('hello'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    for (const options of [{ servername: 'box.local' }, { servername: 'localhost' }, {}]) {
      const socket = connect({ port, host: '127.0.0.1', ca: authority.certificate, ...options });
      await once(socket, 'secureConnect');
      expect(socket.authorized).toBe(true);
      socket.destroy();
    }
    const stranger = connect({
      port,
      host: '127.0.0.1',
      ca: authority.certificate,
      servername: 'other.example',
    });
    await expect(once(stranger, 'secureConnect')).rejects.toThrow(/altnames/);
    server.close();
  });

  it('are on P-256, the leaf valid for 397 days at most and not an authority itself', async () => {
    const authority = await createAuthority({ teamName: 'Lab', names, now });
    const leaf = new X509Certificate((await issueLeaf({ authority, names, now })).certificate);
    const root = new X509Certificate(authority.certificate);
    for (const one of [leaf, root]) expect(one.publicKey.asymmetricKeyDetails?.namedCurve).toBe('prime256v1');
    expect(leaf.verify(root.publicKey)).toBe(true);
    expect(leaf.ca).toBe(false);
    expect(root.ca).toBe(true);
    expect(Date.parse(leaf.validTo) - now).toBeLessThanOrEqual(397 * 86_400_000);
  });

  it('keep their fingerprint when issued again under the same key, and get another one under another key', async () => {
    const authority = await createAuthority({ teamName: 'Lab', names, now });
    const first = await issueLeaf({ authority, names, now });
    const renewed = await issueLeaf({ authority, names: [...names, '192.168.1.2'], now, key: first.key });
    const other = await issueLeaf({ authority, names, now });
    expect(certificateFingerprint(first.certificate)).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(certificateFingerprint(renewed.certificate)).toBe(certificateFingerprint(first.certificate));
    expect(certificateFingerprint(other.certificate)).not.toBe(certificateFingerprint(first.certificate));
  });
});

/** Returns what Node's client says about a server with this leaf: null, or the fault. */
async function faultOf(
  leaf: KeyAndCertificate,
  authority: string,
  servername: string,
): Promise<string | null> {
  const server = createServer({ key: leaf.key, cert: leaf.certificate }, (socket) => socket.end());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const socket = connect({ port, host: '127.0.0.1', ca: authority, servername, rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  const fault = socket.authorized ? null : String(socket.authorizationError);
  socket.destroy();
  server.close();
  return fault;
}

/** Returns what `openssl verify` says about a leaf, for any purpose or for this one. */
function verified(
  { certificate }: Pick<KeyAndCertificate, 'certificate'>,
  authority: string,
  purpose?: string,
): string {
  const folder = mkdtempSync(join(tmpdir(), 'muster-verify-'));
  try {
    writeFileSync(join(folder, 'ca.crt'), authority);
    writeFileSync(join(folder, 'leaf.crt'), certificate);
    const wanted = purpose === undefined ? [] : ['-purpose', purpose];
    const verify = ['verify', ...wanted, '-CAfile', join(folder, 'ca.crt'), join(folder, 'leaf.crt')];
    return execFileSync('openssl', verify, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    return String((error as { stderr: string }).stderr);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Returns a certificate for every purpose, as somebody who stole the authority's key could sign it. */
async function signedBy(
  { key, certificate }: KeyAndCertificate,
  names: x509.JsonGeneralNames,
  subject = 'CN=Muster stolen',
): Promise<string> {
  const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
  const { publicKey } = await webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
  const der = x509.PemConverter.decodeFirst(key);
  const signed = await x509.X509CertificateGenerator.create({
    subject,
    issuer: new x509.X509Certificate(certificate).subject,
    notBefore: new Date(now - 1000),
    notAfter: new Date(now + 86_400_000),
    signingAlgorithm: algorithm,
    publicKey,
    signingKey: await webcrypto.subtle.importKey('pkcs8', der, algorithm, true, ['sign']),
    extensions: [
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.SubjectAlternativeNameExtension(names),
    ],
  });
  return signed.toString('pem');
}

const hasOpenssl = (() => {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
})();

describe('the authority', () => {
  const own = ['box', 'team.example.com', '203.0.113.7', '2001:db8:1:2::3'];
  const accepted = [
    'box',
    'team.example.com',
    'other.local',
    'localhost',
    '10.1.2.3',
    '172.31.0.1',
    '192.168.4.5',
    '100.64.0.9',
    '169.254.1.1',
    '127.0.0.1',
    '::1',
    'fd00::5',
    'fe80::5',
    '203.0.113.7',
    '2001:db8:1:2:ffff::9',
  ];
  const refused = [
    'example.com',
    'bank.example',
    'box.com',
    '172.32.0.1',
    '203.0.113.8',
    '8.8.8.8',
    '2001:db8:1:3::3',
  ];

  it('reads the limits that it wrote', async () => {
    const authority = await createAuthority({ teamName: 'Lab', names: own, now });
    const read = permittedBy(authority.certificate) ?? [];
    expect(read).toHaveLength(permittedFor(own).length);
    for (const name of accepted) expect(isPermitted(name, read), name).toBe(true);
    for (const name of refused) expect(isPermitted(name, read), name).toBe(false);
  });

  it.each(accepted)('signs for %s', async (name) => {
    const authority = await createAuthority({ teamName: 'Lab', names: own, now });
    const leaf = await issueLeaf({ authority, names: [name, 'localhost'], now });
    expect(await faultOf(leaf, authority.certificate, 'localhost')).toBeNull();
    if (hasOpenssl) expect(verified(leaf, authority.certificate)).toContain('OK');
  });

  it.each(refused)('is not believed if it signs for %s', async (name) => {
    const authority = await createAuthority({ teamName: 'Lab', names: own, now });
    const leaf = await issueLeaf({ authority, names: [name, 'localhost'], now });
    expect(await faultOf(leaf, authority.certificate, 'localhost')).not.toBeNull();
    if (hasOpenssl) expect(verified(leaf, authority.certificate)).toContain('permitted subtree violation');
  });

  const purposes = ['sslserver', 'sslclient', 'smimesign', 'smimeencrypt', 'timestampsign'];

  it.skipIf(!hasOpenssl).each(purposes)('signs for servers alone, which %s shows', async (purpose) => {
    const authority = await createAuthority({ teamName: 'Lab', names, now });
    const certificate = await signedBy(authority, [{ type: 'dns', value: 'box.local' }]);
    const said = verified({ certificate }, authority.certificate, purpose);
    expect(said).toContain(purpose === 'sslserver' ? 'OK' : 'nsuitable certificate purpose');
  });

  it.skipIf(!hasOpenssl).each([
    { type: 'email', value: 'ben@example.com' },
    { type: 'email', value: 'ben@box.local' },
    { type: 'url', value: 'https://bank.example/' },
    { type: 'url', value: 'spiffe://box.local/admin' },
  ] as const)('is not believed if it signs for the $type $value', async (name) => {
    const authority = await createAuthority({ teamName: 'Lab', names, now });
    const certificate = await signedBy(authority, [{ type: 'dns', value: 'box.local' }, name]);
    expect(verified({ certificate }, authority.certificate)).toContain('permitted subtree violation');
  });

  it.skipIf(!hasOpenssl)('is not believed if it signs for an e-mail address in the subject', async () => {
    const authority = await createAuthority({ teamName: 'Lab', names, now });
    const certificate = await signedBy(
      authority,
      [{ type: 'dns', value: 'box.local' }],
      'CN=Ben, E=ben@bank.example',
    );
    expect(verified({ certificate }, authority.certificate)).toContain('permitted subtree violation');
  });

  // Only OpenSSL 3.2 and newer know the purpose of code signing.
  it('names servers as its only purpose', async () => {
    const { certificate } = await createAuthority({ teamName: 'Lab', names, now });
    expect(new X509Certificate(certificate).keyUsage).toEqual([x509.ExtendedKeyUsage.serverAuth]);
  });

  it('is renewed under its key: those who trust the former one or the new one accept both leaves', async () => {
    const former = await createAuthority({ teamName: 'Lab', names, now });
    const before = await issueLeaf({ authority: former, names, now });
    const renewed = await renewAuthority(former, { names, now: now + 3600_000 });
    const after = await issueLeaf({ authority: renewed, names, now });
    expect(renewed.certificate).not.toBe(former.certificate);
    for (const leaf of [before, after]) {
      for (const trusted of [former, renewed])
        expect(await faultOf(leaf, trusted.certificate, 'box.local')).toBeNull();
    }
  });

  it('signs for no longer than it is valid itself', async () => {
    const authority = await createAuthority({ teamName: 'Lab', names, now: now - 3600 * 86_400_000 });
    const leaf = new X509Certificate((await issueLeaf({ authority, names, now })).certificate);
    expect(leaf.validToDate).toEqual(new X509Certificate(authority.certificate).validToDate);
  });
});
