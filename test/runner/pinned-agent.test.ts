import { once } from 'node:events';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createAuthority, issueLeaf } from '../../broker/security/certificates.ts';
import { certificateFingerprint } from '../../broker/security/fingerprint.ts';
import { createPinnedFetch } from '../../runner/connection/pinned-fetch.ts';

// A resumed TLS session does not bring the certificate again.
it.each(['TLSv1.2', 'TLSv1.3'] as const)(
  'a broker that is pinned is known again on every further connection (%s)',
  async (maxVersion) => {
    const now = Date.now();
    const authority = await createAuthority('team', now);
    const { key, certificate } = await issueLeaf({ authority, names: ['127.0.0.1'], now });
    const server = createServer({ key, cert: certificate, maxVersion }, (_request, response) => {
      response.setHeader('connection', 'close');
      response.end('here');
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const pinned = createPinnedFetch(url, certificateFingerprint(certificate));
    onTestFinished(async () => {
      await pinned.close();
      server.close();
    });
    for (let connection = 1; connection <= 4; connection++)
      expect(await (await pinned.fetch(url)).text(), `connection ${connection}`).toBe('here');
  },
);
