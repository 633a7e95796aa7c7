import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { createAuthority, issueLeaf } from './certificates.ts';
import { certificateFingerprint } from './fingerprint.ts';

const now = Date.now();
const names = ['box', 'box.local', 'localhost', '127.0.0.1', '::1'];

describe('certificates', () => {
  it('create a leaf that a client accepts which trusts the authority, by name and by address', async () => {
    const authority = await createAuthority('Lab "1", CN=evil', now);
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
    const authority = await createAuthority('Lab', now);
    const leaf = new X509Certificate((await issueLeaf({ authority, names, now })).certificate);
    const root = new X509Certificate(authority.certificate);
    for (const one of [leaf, root]) expect(one.publicKey.asymmetricKeyDetails?.namedCurve).toBe('prime256v1');
    expect(leaf.verify(root.publicKey)).toBe(true);
    expect(leaf.ca).toBe(false);
    expect(root.ca).toBe(true);
    expect(Date.parse(leaf.validTo) - now).toBeLessThanOrEqual(397 * 86_400_000);
  });

  it('keep their fingerprint when issued again under the same key, and get another one under another key', async () => {
    const authority = await createAuthority('Lab', now);
    const first = await issueLeaf({ authority, names, now });
    const renewed = await issueLeaf({ authority, names: [...names, '192.168.1.2'], now, key: first.key });
    const other = await issueLeaf({ authority, names, now });
    expect(certificateFingerprint(first.certificate)).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(certificateFingerprint(renewed.certificate)).toBe(certificateFingerprint(first.certificate));
    expect(certificateFingerprint(other.certificate)).not.toBe(certificateFingerprint(first.certificate));
  });
});
