/** Brokers on several ports of one host, as one browser sees them: it keeps cookies by host and knows no ports. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { bindAuthenticator, codeAt, withCookie } from '../../testing/test-authenticator.ts';
import { startTestBroker, type TestBroker } from '../../testing/test-broker.ts';

interface Place {
  team: TestBroker;
  /** The port of the HTTPS proxy by which the browser reaches the broker; absent over HTTP. */
  httpsPort?: number;
}

/** Keeps cookies as RFC 6265bis says, for one host. */
function createJar() {
  const cookies = new Map<string, { name: string; value: string; path: string; isSecure: boolean }>();
  return {
    names: () => [...cookies.values()].map(({ name }) => name).sort(),
    header: (path: string, isSecure: boolean) =>
      [...cookies.values()]
        .filter((cookie) => path.startsWith(cookie.path) && (isSecure || !cookie.isSecure))
        .map(({ name, value }) => `${name}=${value}`)
        .join('; '),
    keep(line: string, isSecure: boolean): void {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      const path = /; Path=([^;]+)/.exec(line)?.[1] ?? '/';
      // An insecure reply neither overwrites nor shadows a Secure cookie.
      const secured = [...cookies.values()].some((other) => other.isSecure && other.name === name);
      if (!isSecure && (secured || line.endsWith('; Secure'))) return;
      if (line.includes('; Max-Age=0')) cookies.delete(`${name} ${path}`);
      else cookies.set(`${name} ${path}`, { name, value, path, isSecure: line.endsWith('; Secure') });
    },
  };
}

let now: number;
let teams: [TestBroker, TestBroker];
let secrets: Map<TestBroker, string>;
let jar: ReturnType<typeof createJar>;
beforeEach(async () => {
  now = Date.UTC(2026, 5, 1);
  jar = createJar();
  const start = () =>
    startTestBroker({ clock: () => now, config: { listen: { trustedProxies: ['127.0.0.1'] } } });
  teams = await Promise.all([start(), start()]);
  secrets = new Map();
  for (const team of teams) secrets.set(team, await bindAuthenticator(team, 'ben'));
});
afterEach(async () => {
  for (const team of teams) await team.stop();
});

async function visit({ team, httpsPort }: Place, path: string, body?: object): Promise<Response> {
  const isSecure = httpsPort !== undefined;
  const reply = await withCookie(team, jar.header(path, isSecure), path, {
    ...((body !== undefined || path === '/session/logout') && { method: 'POST' }),
    ...(body !== undefined && { body: JSON.stringify(body) }),
    headers: {
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(isSecure && { 'x-forwarded-proto': 'https', 'x-forwarded-host': `127.0.0.1:${httpsPort}` }),
    },
  });
  for (const line of reply.headers.getSetCookie()) jar.keep(line, isSecure);
  return reply;
}

async function logIn(place: Place, extra: object = {}): Promise<Response> {
  now += 30_000;
  const code = codeAt(secrets.get(place.team) ?? '', now);
  const reply = await visit(place, '/session/totp', { code, member: 'ben', ...extra });
  expect(reply.status).toBe(200);
  return reply;
}

const statusOf = async (place: Place) => (await visit(place, '/session')).status;
const portOf = ({ url }: TestBroker) => new URL(url).port;
const shared = /^svc_session=([\w-]{43})(; Path=\/; HttpOnly; SameSite=Strict; Max-Age=604800)$/;

describe('two brokers on two ports of one host', () => {
  it('stay logged in side by side, and a logout ends only its own session', async () => {
    const [one, other] = teams.map((team) => ({ team })) as [Place, Place];
    await logIn(one);
    await logIn(other);
    for (let round = 0; round < 2; round++)
      expect([await statusOf(one), await statusOf(other)]).toEqual([200, 200]);
    // By now, `svc_session` holds the session of the other one.
    expect((await visit(one, '/session/logout')).status).toBe(204);
    expect([await statusOf(one), await statusOf(other)]).toEqual([401, 200]);
    expect(jar.names()).toEqual(['svc_session', `svc_session_http_${portOf(other.team)}`]);
    expect((await visit(other, '/session/logout')).status).toBe(204);
    expect(jar.names()).toEqual([]);
  });

  it('each know the device', async () => {
    const [one, other] = teams.map((team) => ({ team })) as [Place, Place];
    const deviceOf = (reply: Response, { team }: Place) =>
      reply.headers.getSetCookie().find((line) => line.startsWith(`svc_device_http_${portOf(team)}=`));
    const first = deviceOf(await logIn(one, { remember: true }), one);
    expect(first).toMatch(/=[\w-]{43}; Path=\/session\/totp; HttpOnly; SameSite=Strict; Max-Age=15552000$/);
    await logIn(other, { remember: true });
    expect(deviceOf(await logIn(one, { remember: true }), one)).toBe(first);
  });
});

describe('one host over HTTP and HTTPS', () => {
  it('lets somebody log in over HTTP after a login over HTTPS, whose cookie is Secure', async () => {
    const [team] = teams;
    const [secure, plain] = [{ team, httpsPort: 8443 }, { team }];
    await logIn(secure);
    expect(await statusOf(plain)).toBe(401);
    await logIn(plain);
    expect([await statusOf(plain), await statusOf(secure)]).toEqual([200, 200]);
    expect(jar.names()).toEqual([
      'svc_session',
      `svc_session_http_${portOf(team)}`,
      'svc_session_https_8443',
    ]);
    expect((await visit(plain, '/session/logout')).status).toBe(204);
    expect([await statusOf(plain), await statusOf(secure)]).toEqual([401, 200]);
  });
});

describe('the cookie of the scheme and port', () => {
  it('stands beside svc_session with the same value and attributes, at the login and at each renewal', async () => {
    const [team] = teams;
    const place = { team };
    for (const reply of [
      await logIn(place),
      await visit(place, '/session'),
      await visit(place, '/history?limit=0'),
    ]) {
      const [first = '', second, ...more] = reply.headers.getSetCookie();
      const [, value, attributes] = shared.exec(first) ?? [];
      expect(value).toBeDefined();
      expect(second).toBe(`svc_session_http_${portOf(team)}=${value}${attributes}`);
      expect(more).toEqual([]);
    }
  });

  it('counts before svc_session, which counts alone if there is no other', async () => {
    const [team] = teams;
    const value = shared.exec((await logIn({ team })).headers.getSetCookie()[0] ?? '')?.[1] ?? '';
    const own = `svc_session_http_${portOf(team)}`;
    const wrong = 'A'.repeat(43);
    for (const [cookie, status] of [
      [`svc_session=${value}`, 200],
      [`${own}=${value}`, 200],
      [`svc_session=${wrong}; ${own}=${value}`, 200],
      [`${own}=${wrong}; svc_session=${value}`, 401],
      [`svc_session_http_1=${value}`, 401],
      [`svc_session_https_${portOf(team)}=${value}`, 401],
      [`x${own}=${wrong}; svc_session=${value}`, 200],
    ] as const)
      expect((await withCookie(team, cookie, '/session')).status, cookie).toBe(status);
  });

  it.each([
    ['https', 'team.example.com', 'https_443'],
    ['http', 'team.example.com', 'http_80'],
    ['https', '[::1]:8443', 'https_8443'],
    ['https', '[::1]', 'https_443'],
  ])('is named after the public address %s://%s', async (scheme, host, name) => {
    const team = await startTestBroker({
      clock: () => now,
      config: { listen: { trustedProxies: ['127.0.0.1'], hosts: ['team.example.com'] } },
    });
    try {
      const code = codeAt(await bindAuthenticator(team, 'ben', 'ada'), now);
      const reply = await fetch(`${team.url}/session/totp`, {
        method: 'POST',
        body: JSON.stringify({ code, member: 'ben' }),
        headers: {
          'content-type': 'application/json',
          'x-forwarded-proto': scheme,
          'x-forwarded-host': host,
        },
      });
      expect(reply.headers.getSetCookie().map((line) => line.split('=')[0])).toEqual([
        'svc_session',
        `svc_session_${name}`,
      ]);
    } finally {
      await team.stop();
    }
  });
});
