/**
 * A hosted control plane on loopback: it describes itself for a pairing code, publishes its keys, and signs
 * tokens.
 */
import { randomUUID } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';

type Algorithm = 'RS256' | 'ES256' | 'EdDSA' | 'PS256' | 'ES384';

export interface Platform {
  url: string;
  issuer: string;
  teamId: string;
  audience: string;
  jwksUrl: string;
  /** The pairing codes that it knows. */
  codes: Set<string>;
  /** Its description of itself. */
  description: Record<string, unknown>;
  /** Replaces every answer while it is set. */
  answer: ((response: ServerResponse) => void) | null;
  keysRead: () => number;
  /** Adds a key to the published ones. */
  addKey(kid: string, algorithm: Algorithm): Promise<CryptoKey>;
  /** Publishes whatever it is given. */
  publish(kid: string, jwk: object): void;
  removeKey(kid: string): void;
  /**
   * Signs with one of its keys, published or not. `claims` replace the correct ones; undefined leaves one
   * out.
   */
  sign(kid: string, claims?: JWTPayload, header?: Record<string, unknown>): Promise<string>;
  close(): Promise<void>;
}

export async function startPlatform(clock: () => number = Date.now): Promise<Platform> {
  const published = new Map<string, object>();
  const privateByKid = new Map<string, { key: CryptoKey; alg: Algorithm }>();
  const teamId = randomUUID();
  let keysRead = 0;
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://x');
    const say = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (url.pathname === '/jwks') keysRead += 1;
    if (platform.answer !== null) platform.answer(response);
    else if (url.pathname === '/jwks') say(200, { keys: [...published.values()] });
    else if (url.pathname !== '/.well-known/svc-platform') say(404, {});
    else if (platform.codes.has(url.searchParams.get('code') ?? '')) say(200, platform.description);
    else say(403, { error: 'unknown code' });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const jwksUrl = `${url}/jwks`;
  const platform: Platform = {
    url,
    issuer: url,
    teamId,
    audience: `team:${teamId}`,
    jwksUrl,
    codes: new Set(),
    description: { issuer: url, jwksUrl, teamId },
    answer: null,
    keysRead: () => keysRead,
    async addKey(kid, alg) {
      const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
      published.set(kid, { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' });
      privateByKid.set(kid, { key: privateKey, alg });
      return publicKey;
    },
    publish: (kid, jwk) => void published.set(kid, jwk),
    removeKey: (kid) => void published.delete(kid),
    async sign(kid, claims = {}, header = {}) {
      const { key, alg } = privateByKid.get(kid) ?? {};
      if (key === undefined || alg === undefined) throw new Error(`no key ${kid}`);
      const exp = Math.floor(clock() / 1000) + 300;
      const payload = { iss: platform.issuer, aud: platform.audience, sub: 'ben', exp, ...claims };
      return new SignJWT(payload).setProtectedHeader({ alg, kid, ...header }).sign(key);
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return platform;
}
