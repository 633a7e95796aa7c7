/**
 * fetch to a broker whose key is known: the connection is used only after the server has shown that key, so a bearer never reaches
 * another one. The authority that signed the certificate, its names and dates do not matter then.
 */
import { createHash } from 'node:crypto';
import { TLSSocket } from 'node:tls';
import { Agent, buildConnector, fetch as undiciFetch } from 'undici';
import { ConnectionError } from './connection-error.ts';

/** `sha256:` and hex of the certificate's public key, as the broker prints it (D15). */
function fingerprintOf(socket: TLSSocket): string {
  const spki = socket.getPeerX509Certificate()?.publicKey.export({ type: 'spki', format: 'der' });
  return `sha256:${createHash('sha256')
    .update(spki ?? '')
    .digest('hex')}`;
}

export interface PinnedFetch {
  fetch: typeof globalThis.fetch;
  /** Ends its connections. */
  close(): Promise<void>;
}

/** Each connection is shown to `judge` before anything is sent over it; what it throws is what the caller of fetch gets. */
function createJudgedFetch(judge: (fingerprint: string) => void): PinnedFetch {
  // No sessions are kept: on one that is resumed there is no certificate to look at.
  const open = buildConnector({ rejectUnauthorized: false, minVersion: 'TLSv1.2', maxCachedSessions: 0 });
  const agent = new Agent({
    connect(options, callback) {
      open(options, (error, socket) => {
        if (error !== null) return callback(error, null);
        try {
          if (socket instanceof TLSSocket) judge(fingerprintOf(socket));
          return callback(null, socket);
        } catch (refusal) {
          socket.destroy();
          return callback(refusal instanceof Error ? refusal : new Error(String(refusal)), null);
        }
      });
    },
  });
  // The package's fetch has the platform's signature; only its types are its own.
  const fetch = ((url: string, init: object) =>
    undiciFetch(url, { ...init, dispatcher: agent })) as unknown as typeof globalThis.fetch;
  return { fetch, close: () => agent.destroy() };
}

/** @throws ConnectionError `tls`, from every call, when the broker shows another key. */
export function createPinnedFetch(url: string, fingerprint: string): PinnedFetch {
  return createJudgedFetch((shown) => {
    if (shown === fingerprint) return;
    throw new ConnectionError(
      'tls',
      `${url} shows another key than the one confirmed (${shown} instead of ${fingerprint}): somebody may stand in between; ask the operator before you connect with --fingerprint`,
    );
  });
}

/** The key that a broker shows, without sending it anything. @throws the connection's own error. */
export async function readFingerprint(url: string): Promise<string> {
  let shown = '';
  const { fetch, close } = createJudgedFetch((fingerprint) => {
    shown = fingerprint;
    throw new ConnectionError('tls', 'only looked at');
  });
  try {
    await fetch(url, { signal: AbortSignal.timeout(10_000) });
  } catch (error) {
    if (shown === '') throw error;
  } finally {
    await close();
  }
  return shown;
}
