import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createBroker } from '../../create-broker.ts';
import { createLog } from '../../runtime/log.ts';
import { bindAuthenticator, codeAt, cookieOf, logInWith } from '../../testing/test-authenticator.ts';
import { startTestBroker, type TestBroker } from '../../testing/test-broker.ts';
import { type Platform, startPlatform } from './testing/platform.ts';

const start = Date.UTC(2026, 5, 1, 12);
const code = 'pairing-code-of-128-bits';
let now = start;
/** The platform of the present test. */
let platform: Platform;
/** The broker of the tests that bind no platform, and a session of ada there. */
let shared: { team: TestBroker; cookie: string };
/** Those of the present test. */
let team: TestBroker;
let cookie: string;
const overlayPath = () => `${team.configPath}.platform.json`;
const written = () =>
  stat(overlayPath()).then(
    () => true,
    () => false,
  );

const startBroker = (clock: () => number, config = {}) =>
  startTestBroker({ onDisk: true, clock, config: { outbound: { allowHosts: ['127.0.0.1'] }, ...config } });

beforeAll(async () => {
  const started = await startBroker(() => start);
  shared = { team: started, cookie: await sessionOf('ada', started, start) };
});
afterAll(() => shared.team.stop());
beforeEach(async () => {
  now = start;
  platform = await startPlatform(() => now);
  await platform.addKey('k1', 'ES256');
  platform.codes.add(code);
  ({ team, cookie } = shared);
});
afterEach(() => platform.close());

/** Gives the present test a broker of its own, whose clock shows `now`. */
async function startOwn(config?: Record<string, unknown>): Promise<void> {
  const own = await startBroker(() => now, config);
  onTestFinished(() => own.stop());
  team = own;
  cookie = await sessionOf('ada');
}

async function sessionOf(name: string, at = team, when = now): Promise<string> {
  return cookieOf(await logInWith(at, codeAt(await bindAuthenticator(at, name), when), name));
}
const bind = (body: object = {}, as = cookie) =>
  fetch(`${team.url}/platform-connect/bind`, {
    method: 'POST',
    headers: { cookie: as, 'content-type': 'application/json' },
    body: JSON.stringify({ pairingCode: code, platformUrl: platform.url, ...body }),
  });
const lookUp = (one = code) => fetch(`${team.url}/platform-connect/lookup?code=${encodeURIComponent(one)}`);
const statusOf = async (token: string) =>
  (await fetch(`${team.url}/session`, { headers: { authorization: `Bearer ${token}` } })).status;

describe('POST /platform-connect/bind', () => {
  it('writes the overlay, applies it at once, and returns the jwt block', async () => {
    await startOwn();
    const token = await platform.sign('k1');
    expect(await statusOf(token)).toBe(401);
    const reply = await bind();
    expect(reply.status).toBe(200);
    const jwt = { issuer: platform.issuer, audience: platform.audience, jwksUrl: platform.jwksUrl };
    expect(await reply.json()).toEqual({ ok: true, memberName: 'ada', jwt });
    expect(JSON.parse(await readFile(overlayPath(), 'utf8'))).toEqual({ jwt });
    expect((await stat(overlayPath())).mode & 0o777).toBe(0o600);
    expect(await statusOf(token)).toBe(200);
    await team.restart();
    expect(await statusOf(token)).toBe(200);
    expect(team.logged()).toContain('a platform was bound');
    expect(team.logged()).not.toContain(code);
  });

  it('gives the overlay precedence over the configuration’s jwt block', async () => {
    const other = await startPlatform(() => now);
    await other.addKey('k1', 'ES256');
    const { issuer, audience, jwksUrl } = other;
    await startOwn({ jwt: { issuer, audience, jwksUrl } });
    expect(await statusOf(await other.sign('k1'))).toBe(200);
    expect((await bind()).status).toBe(200);
    expect(await statusOf(await other.sign('k1'))).toBe(401);
    expect(await statusOf(await platform.sign('k1'))).toBe(200);
    await other.close();
  });

  it('needs a session and members.manage', async () => {
    expect((await bind({}, await sessionOf('ben'))).status).toBe(403);
    const bearer = await team.fetch('ada', '/platform-connect/bind', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ pairingCode: code, platformUrl: platform.url }),
    });
    expect(bearer.status).toBe(403);
    expect(await written()).toBe(false);
  });

  it.each([
    ['a private address that is not allowed', { platformUrl: 'https://10.0.0.1/' }, 400],
    ['plain http to a host that is not allowed', { platformUrl: 'http://example.com/' }, 400],
    ['no URL', { platformUrl: 'nonsense' }, 400],
    ['a pairing code below 128 bits', { pairingCode: 'x'.repeat(21) }, 400],
    ['a code the platform does not know', { pairingCode: 'y'.repeat(22) }, 400],
    ['a platform that is not there', { platformUrl: 'http://127.0.0.1:1/' }, 503],
  ])('%s changes nothing', async (_, body, status) => {
    const reply = await bind(body);
    expect(reply.status).toBe(status);
    expect(((await reply.json()) as { message: string }).message).not.toContain('yyyy');
    expect(await written()).toBe(false);
    expect((await lookUp()).status).toBe(404);
  });

  it.each<[string, (response: ServerResponse) => void]>([
    ['fails', (response) => response.writeHead(500).end()],
    ['answers no JSON', (response) => response.end('<html>')],
    ['redirects', (response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()],
    ['answers without end', (response) => response.write(' '.repeat(100 * 1024))],
    ['breaks off', (response) => response.destroy()],
  ])('a platform that %s is 503, and nothing is written', async (_, answer) => {
    platform.answer = answer;
    expect((await bind()).status).toBe(503);
    expect(await written()).toBe(false);
  });

  it.each<[string, Record<string, unknown>, number]>([
    ['no issuer', { issuer: undefined }, 503],
    ['a team id that is no uuid', { teamId: 'general' }, 503],
    ['keys at a private address', { jwksUrl: 'https://192.168.0.1/jwks' }, 400],
    ['keys over plain http', { jwksUrl: 'http://keys.example/jwks' }, 400],
  ])(
    'a platform that describes itself with %s is refused, and nothing is written',
    async (_, change, status) => {
      platform.description = { ...platform.description, ...change };
      expect((await bind()).status).toBe(status);
      expect(await written()).toBe(false);
    },
  );

  it('asks below the path of the platform’s URL', async () => {
    await startOwn();
    expect((await bind({ platformUrl: `${platform.url}/?x=1#y` })).status).toBe(200);
    expect((await bind({ platformUrl: `${platform.url}/deep/` })).status).toBe(400);
  });
});

describe('GET /platform-connect/lookup', () => {
  it('returns { team, memberName, boundAt } once, then 404', async () => {
    await startOwn();
    await bind();
    const replies = await Promise.all([lookUp(), lookUp(), lookUp()]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 404, 404]);
    const answered = replies.find(({ status }) => status === 200);
    expect(await answered?.json()).toEqual({ team: 'Test', memberName: 'ada', boundAt: start });
    await team.restart();
    expect((await lookUp()).status).toBe(404);
  });

  it('keeps the pairing for its platform across a restart', async () => {
    await startOwn();
    await bind();
    await team.restart();
    expect((await lookUp()).status).toBe(200);
  });

  it('answers 429 after 10 failed lookups per address and hour, for correct codes too', async () => {
    await startOwn();
    await bind();
    const tries = await Promise.all(Array.from({ length: 15 }, (_, i) => lookUp(`wrong-${i}`)));
    expect(tries.filter(({ status }) => status === 404)).toHaveLength(10);
    const refused = await lookUp();
    expect(refused.status).toBe(429);
    now += Number(refused.headers.get('retry-after')) * 1000;
    expect((await lookUp()).status).toBe(200);
  });

  it('does not count lookups that succeed', async () => {
    await startOwn();
    for (let i = 0; i < 12; i++) {
      await bind();
      expect((await lookUp()).status).toBe(200);
    }
  });
});

describe('a platform file that cannot be used', () => {
  it.each([
    ['no JSON', '{'],
    ['no jwt block', '{}'],
    [
      'an audience that is none',
      '{"jwt":{"issuer":"https://a.example","audience":"x","jwksUrl":"https://a.example"}}',
    ],
  ])('with %s stops the start with a clear sentence and stays as it is', async (_, content) => {
    onTestFinished(() => rm(overlayPath()));
    await writeFile(overlayPath(), content);
    const log = createLog({ destination: { write: () => undefined } });
    await expect(createBroker({ configPath: team.configPath, env: {}, log })).rejects.toMatchObject({
      exitCode: 78,
      message: expect.stringContaining(`"${overlayPath()}" is not valid`),
    });
    expect(await readFile(overlayPath(), 'utf8')).toBe(content);
  });
});
