/**
 * An authenticator written from RFC 4226 and RFC 6238 alone, and the browser's side of sessions, for tests.
 */
import { createHmac } from 'node:crypto';
import { get, type IncomingMessage } from 'node:http';
import type { TestBroker } from './test-broker.ts';

function fromBase32(secret: string): Buffer {
  const bits = [...secret]
    .map((letter) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'))
    .join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

/** Returns the six digits that an authenticator shows at `at`, epoch ms. */
export function codeAt(secret: string, at: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(at / 30_000)));
  const mac = createHmac('sha1', fromBase32(secret)).update(counter).digest();
  const offset = mac.readUInt8(19) & 0xf;
  const number = mac.readUInt32BE(offset) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, '0');
}

/** Returns a code that none of these secrets shows near `at`. */
export function wrongCode(secrets: readonly string[], at: number): string {
  const right = secrets.flatMap((secret) =>
    [-60_000, -30_000, 0, 30_000, 60_000].map((drift) => codeAt(secret, at + drift)),
  );
  for (let guess = 0; ; guess++) {
    const code = String(guess).padStart(6, '0');
    if (!right.includes(code)) return code;
  }
}

export const postJson = (team: TestBroker, path: string, body: unknown, headers = {}): Promise<Response> =>
  fetch(team.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

export const logInWith = (team: TestBroker, code: string, member?: string): Promise<Response> =>
  postJson(team, '/session/totp', { code, ...(member !== undefined && { member }) });

/** `svc_session=…` as a browser returns it. */
export const cookieOf = (reply: Response): string =>
  (reply.headers.get('set-cookie') ?? '').split(';')[0] ?? '';

/** `by`: the member itself, or a manager, who also replaces one without its code. */
export async function bindAuthenticator(team: TestBroker, member: string, by = member): Promise<string> {
  return (await team.as(by).call('enrollTotp', { params: { name: member } })).totpSecret;
}

/** A request with a cookie instead of a token. */
export const withCookie = (team: TestBroker, cookie: string, path: string, init: RequestInit = {}) =>
  fetch(team.url + path, { ...init, headers: { ...init.headers, cookie } });

/** A live stream that is opened with a cookie; `ended` resolves when the broker closes it. */
export async function cookieStream(
  team: TestBroker,
  cookie: string,
  member: string,
): Promise<{ ended: Promise<void>; setCookie: string; close: () => void }> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const url = `${team.url}/subscribe?name=${member}`;
    get(url, { headers: { cookie }, agent: false }, resolve).on('error', reject);
  });
  if (response.statusCode !== 200) throw new Error(`the stream answered ${response.statusCode}`);
  const ended = new Promise<void>((resolve) => response.once('close', () => resolve()));
  response.on('error', () => undefined).resume();
  const setCookie = response.headers['set-cookie']?.join() ?? '';
  return { ended, setCookie, close: () => response.destroy() };
}

const secretByMember = new WeakMap<TestBroker, Map<string, string>>();

/** Binds another authenticator as its owner does, with a code of the one that this function bound before. Needs the real time. */
export async function freshAuthenticator(team: TestBroker, name: string): Promise<string> {
  const secrets = secretByMember.get(team) ?? new Map<string, string>();
  secretByMember.set(team, secrets);
  const former = secrets.get(name);
  // A login may have used the present step.
  const body = former === undefined ? {} : { presentCode: codeAt(former, Date.now() + 30_000) };
  const { totpSecret } = await team.as(name).call('enrollTotp', { params: { name }, body });
  secrets.set(name, totpSecret);
  return totpSecret;
}
