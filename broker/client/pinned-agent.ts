/**
 * Connections to a broker whose key is known: a connection is used only after the server has shown that key,
 * so a token never reaches another server. The signing authority of the certificate, its names, and its dates
 * do not matter then.
 */
import { createHash } from 'node:crypto';
import type { Agent, RequestOptions } from 'node:https';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { ConnectionError } from './connection-error.ts';
import { exchange } from './http-exchange.ts';

/**
 * `sha256:` and the hex of the certificate's public key, as the broker prints it
 * (specification/configuration.md#certificates).
 */
function fingerprintOf(socket: TLSSocket): string {
  const spki = socket.getPeerX509Certificate()?.publicKey.export({ type: 'spki', format: 'der' });
  return `sha256:${createHash('sha256')
    .update(spki ?? '')
    .digest('hex')}`;
}

/**
 * Each connection is shown to `judge` before anything is sent over it; the request fails with what it throws.
 */
function createJudgedAgent(judge: (fingerprint: string) => void, handshakeTimeoutMs = 10_000): Agent {
  const { connect } = process.getBuiltinModule('node:tls');
  const { Agent } = process.getBuiltinModule('node:https');
  class JudgedAgent extends Agent {
    /** Answers by the callback only: until then, the request has no socket to write to. */
    override createConnection(
      { host, port }: RequestOptions,
      callback?: (error: Error | null, socket: Duplex) => void,
    ): undefined {
      const name = host ?? 'localhost';
      // Without a session of an earlier connection, because a resumed one shows no certificate.
      const socket = connect({
        host: name,
        port: Number(port),
        ...(isIP(name) === 0 && { servername: name }),
        ALPNProtocols: ['http/1.1'],
        rejectUnauthorized: false,
        minVersion: 'TLSv1.2',
      });
      socket.setTimeout(handshakeTimeoutMs, () =>
        socket.destroy(Object.assign(new Error('no handshake'), { code: 'ETIMEDOUT' })),
      );
      function finish(error: Error | null): void {
        socket.setTimeout(0);
        socket.off('error', finish);
        callback?.(error, socket);
      }
      socket.once('error', finish);
      socket.once('secureConnect', () => {
        try {
          judge(fingerprintOf(socket));
        } catch (refusal) {
          socket.destroy();
          return finish(refusal instanceof Error ? refusal : new Error(String(refusal)));
        }
        finish(null);
      });
    }
  }
  return new JudgedAgent({ keepAlive: true });
}

/** For requests to `url`. They fail with ConnectionError `tls` if the broker shows another key. */
export function createPinnedAgent(url: string, fingerprint: string, handshakeTimeoutMs?: number): Agent {
  return createJudgedAgent((shown) => {
    if (shown === fingerprint) return;
    throw new ConnectionError(
      'tls',
      `${url} shows another key than the confirmed one (${shown} instead of ${fingerprint}), so somebody may intercept the connection`,
      'ask the operator before you connect with --fingerprint',
    );
  }, handshakeTimeoutMs);
}

/**
 * Returns the key that a broker shows, without sending anything to it. @throws the connection's own error.
 */
export async function readFingerprint(url: string): Promise<string> {
  let shown = '';
  const agent = createJudgedAgent((fingerprint) => {
    shown = fingerprint;
    throw new ConnectionError('tls', 'only looked at');
  });
  try {
    await exchange(url, { method: 'GET', headers: {}, signal: AbortSignal.timeout(10_000), agent });
  } catch (error) {
    if (shown === '') throw error;
  } finally {
    agent.destroy();
  }
  return shown;
}
