/** The VAPID key pair of web push (RFC 8292; specification/configuration.md#svcjson). */
import { generateKeyPairSync } from 'node:crypto';

export interface VapidKeys {
  /** An uncompressed P-256 point, 65 bytes as base64url: what browsers use as `applicationServerKey`. */
  publicKey: string;
  /** The scalar, 32 bytes as base64url. */
  privateKey: string;
}

export function mintVapidKeys(): VapidKeys {
  const pair = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const { x = '', y = '', d = '' } = pair.privateKey.export({ format: 'jwk' });
  const point = Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]);
  return { publicKey: point.toString('base64url'), privateKey: d };
}

/**
 * Whether the text has the form of such a public key. Whether the point is on the curve turns out when it is
 * used.
 */
export function isVapidPublicKey(text: string): boolean {
  const bytes = fromBase64url(text);
  return bytes?.length === 65 && bytes[0] === 4;
}

export function isVapidPrivateKey(text: string): boolean {
  return fromBase64url(text)?.length === 32;
}

function fromBase64url(text: string): Buffer | null {
  return /^[A-Za-z0-9_-]+$/.test(text) ? Buffer.from(text, 'base64url') : null;
}
