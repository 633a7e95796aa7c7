/**
 * One push to one browser: encrypted for it (RFC 8291), signed by the broker (RFC 8292), and sent through the
 * outbound guard.
 */
import { createECDH } from 'node:crypto';
import { type Outbound, OutboundError } from '../../runtime/outbound-fetch.ts';
import type { VapidKeys } from '../../security/vapid.ts';

export interface PushReply {
  /** 0 if no reply came. */
  status: number;
  retryAfter: string | undefined;
  /** The guard refused it, because the address is not public. */
  refused: boolean;
}

export interface PushDestination {
  endpoint: string;
  p256dh: string;
  auth: string;
}

/**
 * Push services want a contact address. A broker has none of its own, and a real one must not be invented.
 */
const subject = 'mailto:operator@muster.invalid';
/** One day: after that, the message is read in the console. */
const ttlSeconds = 86_400;
const timeoutMs = 10_000;
const maxReplyBytes = 64 * 1024;

/** Whether the key is a point on the curve. Only then can anything be encrypted for it. */
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
  // Loaded at the first push only, because it and its dependencies would slow down every start.
  const { default: webPush } = await import('web-push');
  const { cipherText } = webPush.encrypt(to.p256dh, to.auth, payload, 'aes128gcm');
  const { origin } = new URL(to.endpoint);
  const vapid = webPush.getVapidHeaders(origin, subject, keys.publicKey, keys.privateKey, 'aes128gcm');
  try {
    const reply = await outbound.send(to.endpoint, {
      purpose: 'web_push',
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
