/**
 * A browser and its push service, written from RFC 8291, 8188, and 8292 alone: it receives on loopback,
 * decrypts, and checks the signature.
 */
import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ReceivedPush {
  at: number;
  path: string;
  headers: IncomingHttpHeaders;
  bodyBytes: number;
  /** The decrypted payload. */
  text: string;
  /** The claims of the VAPID token, whose signature was valid. */
  vapid: { aud: string; exp: number; sub: string };
  /** The key that signed it, in base64url. */
  vapidKey: string;
}

export interface PushReceiver {
  origin: string;
  /** A subscription request of a new browser profile; `path` distinguishes endpoints. */
  subscription(path?: string): { endpoint: string; keys: { p256dh: string; auth: string } };
  received: ReceivedPush[];
  /** Resolves when that many have arrived. */
  until(count: number): Promise<void>;
  /** The next answers, in turn; 201 when none are left. */
  answers: { status: number; headers?: Record<string, string> }[];
  /** While it is set, replies wait for it. */
  hold: Promise<void> | null;
  atOnce: () => number;
  close(): Promise<void>;
}

const base64url = (bytes: Buffer) => bytes.toString('base64url');
const derive = (key: Buffer, salt: Buffer, info: string | Buffer, length: number) =>
  Buffer.from(hkdfSync('sha256', key, salt, Buffer.from(info), length));

export async function startPushReceiver(): Promise<PushReceiver> {
  const browserByPath = new Map<string, { ecdh: ReturnType<typeof createECDH>; auth: Buffer }>();
  const received: ReceivedPush[] = [];
  const waiting = new Set<() => void>();
  let concurrent = 0;
  let maxAtOnce = 0;

  function decrypt(path: string, body: Buffer): string {
    const browser = browserByPath.get(path);
    if (browser === undefined) throw new Error(`no browser has subscribed at ${path}`);
    const salt = body.subarray(0, 16);
    const keyLength = body.readUInt8(20);
    const senderKey = body.subarray(21, 21 + keyLength);
    const secret = browser.ecdh.computeSecret(senderKey);
    const info = Buffer.concat([Buffer.from('WebPush: info\0'), browser.ecdh.getPublicKey(), senderKey]);
    const ikm = derive(secret, browser.auth, info, 32);
    const key = derive(ikm, salt, 'Content-Encoding: aes128gcm\0', 16);
    const nonce = derive(ikm, salt, 'Content-Encoding: nonce\0', 12);
    const record = body.subarray(21 + keyLength);
    const decipher = createDecipheriv('aes-128-gcm', key, nonce);
    decipher.setAuthTag(record.subarray(-16));
    const plain = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()]);
    const end = plain.lastIndexOf(2);
    return plain.subarray(0, end).toString('utf8');
  }

  function checkVapid(authorization: string): Pick<ReceivedPush, 'vapid' | 'vapidKey'> {
    const [, token = '', vapidKey = ''] = /^vapid t=([^,]+), k=(.+)$/.exec(authorization) ?? [];
    const [head = '', claims = '', signature = ''] = token.split('.');
    const point = Buffer.from(vapidKey, 'base64url');
    const [x, y] = [base64url(point.subarray(1, 33)), base64url(point.subarray(33))];
    const key = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' });
    const holds = verify(
      'sha256',
      Buffer.from(`${head}.${claims}`),
      { key, dsaEncoding: 'ieee-p1363' },
      Buffer.from(signature, 'base64url'),
    );
    if (!holds) throw new Error('the VAPID signature does not hold');
    return { vapid: JSON.parse(Buffer.from(claims, 'base64url').toString()), vapidKey };
  }

  const receiver: PushReceiver = {
    origin: '',
    subscription(path = `/push/${randomBytes(8).toString('hex')}`) {
      const ecdh = createECDH('prime256v1');
      ecdh.generateKeys();
      const auth = randomBytes(16);
      browserByPath.set(path, { ecdh, auth });
      const keys = { p256dh: base64url(ecdh.getPublicKey()), auth: base64url(auth) };
      return { endpoint: receiver.origin + path, keys };
    },
    received,
    until: (count) =>
      new Promise((resolve) => {
        const look = () => {
          if (received.length < count) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    answers: [],
    hold: null,
    atOnce: () => maxAtOnce,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    concurrent += 1;
    maxAtOnce = Math.max(maxAtOnce, concurrent);
    response.on('close', () => {
      concurrent -= 1;
    });
    request.on('data', (chunk) => chunks.push(chunk));
    request.on('end', async () => {
      const body = Buffer.concat(chunks);
      const path = request.url ?? '';
      const { vapid, vapidKey } = checkVapid(request.headers.authorization ?? '');
      const text = decrypt(path, body);
      const { headers } = request;
      received.push({ at: performance.now(), path, headers, bodyBytes: body.length, text, vapid, vapidKey });
      for (const look of waiting) look();
      await receiver.hold;
      const answer = receiver.answers.shift() ?? { status: 201 };
      response.writeHead(answer.status, answer.headers).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  receiver.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return receiver;
}
