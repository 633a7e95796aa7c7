/** One push to one browser: encrypted for it (RFC 8291), signed by us (RFC 8292), through the outbound guard. */
import { createECDH } from 'node:crypto';
import { type Outbound, OutboundError } from '../../runtime/outbound-fetch.ts';
import type { VapidKeys } from '../../security/vapid.ts';

export interface PushReply {
  /** 0: no reply came. */
  status: number;
  retryAfter: string | undefined;
  /** The guard did not let it happen: an address that is not public. */
  refused: boolean;
}

export interface PushDestination {
  endpoint: string;
  p256dh: string;
  auth: string;
}

/** Push services want to know whom to write to; a broker has no address of its own, and theirs must not be made up. */
const subject = 'mailto:operator@muster.invalid';
/** A day: what nobody fetched by then is read in the console. */
const ttlSeconds = 86_400;
const timeoutMs = 10_000;
const maxReplyBytes = 64 * 1024;

/** Is it a point on the curve? Only then can anything be encrypted for it. */
export function isUsableKey(p256dh: string): boolean {
  const own = createECDH('prime256v1');
  own.generateKeys();
  try {
    own.computeSecret(Buffer.from(p256dh, 'base64url'));
    return true;
  } catch {
    return false;
  }
}

export async function sendPush(
  outbound: Outbound,
  keys: VapidKeys,
  to: PushDestination,
  payload: string,
  signal: AbortSignal,
): Promise<PushReply> {
  // Loaded at the first push only: it and what it brings would slow every start.
  const { default: webPush } = await import('web-push');
  const { cipherText } = webPush.encrypt(to.p256dh, to.auth, payload, 'aes128gcm');
  const { origin } = new URL(to.endpoint);
  const vapid = webPush.getVapidHeaders(origin, subject, keys.publicKey, keys.privateKey, 'aes128gcm');
  try {
    const reply = await outbound.send(to.endpoint, {
      method: 'POST',
      headers: {
        authorization: vapid.Authorization,
        'content-type': 'application/octet-stream',
        'content-encoding': 'aes128gcm',
        ttl: String(ttlSeconds),
        urgency: 'normal',
      },
      body: cipherText,
      timeoutMs,
      maxBytes: maxReplyBytes,
      signal,
    });
    const retryAfter = reply.headers['retry-after'];
    return {
      status: reply.status,
      retryAfter: Array.isArray(retryAfter) ? retryAfter[0] : retryAfter,
      refused: false,
    };
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error;
    return { status: 0, retryAfter: undefined, refused: error.refused };
  }
}
