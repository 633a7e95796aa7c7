import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { limits } from '#protocol/limits.ts';
import {
  bindAuthenticator,
  codeAt,
  postJson,
  withCookie,
  wrongCode,
} from '../../testing/test-authenticator.ts';
import { startTestBroker, type TestBroker } from '../../testing/test-broker.ts';
import { reservesOf } from './login-reserves.rules.ts';
import { createLoginReserves } from './login-reserves.ts';

const minute = 60_000;
let now: number;
let team: TestBroker;
let secrets: Record<string, string>;
beforeEach(async () => {
  now = Date.UTC(2026, 5, 1);
  team = await startTestBroker({
    clock: () => now,
    onDisk: true,
    // Each request of a test says where it comes from, as a proxy would.
    config: { listen: { trustedProxies: ['127.0.0.1'] } },
  });
  secrets = {};
  for (const name of ['ada', 'ben', 'cy']) secrets[name] = await bindAuthenticator(team, name);
});
afterEach(() => team.stop());

interface From {
  ip?: string;
  cookie?: string;
  bearer?: string;
}

const headersOf = ({ ip, cookie, bearer }: From): Record<string, string> => ({
  ...(ip !== undefined && { 'x-forwarded-for': ip }),
  ...(cookie !== undefined && { cookie }),
  ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
});

const fail = async (member: string | undefined, from: From): Promise<number> => {
  const code = wrongCode(Object.values(secrets), now);
  const body = { code, ...(member !== undefined && { member }) };
  return (await postJson(team, '/session/totp', body, headersOf(from))).status;
};

/** Each login uses a code of its own. */
async function logIn(member: string, from: From = {}, extra: object = {}): Promise<Response> {
  now += 30_000;
  const body = { code: codeAt(secrets[member] ?? '', now), member, ...extra };
  return postJson(team, '/session/totp', body, headersOf(from));
}
const statusOf = async (member: string, from?: From) => (await logIn(member, from)).status;

const deviceCookieIn = (reply: Response): string | undefined =>
  reply.headers
    .getSetCookie()
    .find((line) => line.startsWith('svc_device='))
    ?.split(';')[0];

const attacker = { ip: '192.0.2.7' };
const elsewhere = { ip: '198.51.100.9' };

/** Uses up what the address has. */
async function knock(from: From): Promise<void> {
  for (let n = 0; n < 10; n++) expect(await fail(`nobody ${n}`, from)).toBe(401);
  expect(await fail('nobody', from)).toBe(429);
}

/** As many networks as it takes until no more than `left` is left of what strangers share. */
async function flood(left = 0): Promise<void> {
  const { all, perNetwork } = limits.strangerLoginFailures;
  for (let n = 0; n < all - left; n++) {
    const from = { ip: `203.0.${Math.floor(n / perNetwork)}.7` };
    if (n % 10 === 0) now += 16 * minute;
    expect(await fail(`nobody ${n}`, from), `${n}`).toBe(401);
  }
}

describe('strangers without a name', () => {
  it('have half of the guesses of a day, from however many addresses, and leave the rest to those with one', async () => {
    let guesses = 0;
    for (let n = 0; n < 400; n++) {
      const status = await fail(undefined, { ip: `203.0.113.${n % 250}` });
      if (status === 401) guesses += 3;
      if (n === 249) now += 16 * minute;
    }
    expect(guesses).toBeGreaterThan(limits.strangerLoginFailures.unnamed - 10);
    expect(guesses).toBeLessThanOrEqual(limits.strangerLoginFailures.unnamed + 2);
    expect(await fail('ben', elsewhere)).toBe(401);
  });
});

describe('wrong codes from one address', () => {
  it('lock out that address, and nobody elsewhere', async () => {
    await knock(attacker);
    expect(await statusOf('ada', attacker)).toBe(429);
    expect(await statusOf('ada', elsewhere)).toBe(200);
    expect(await statusOf('ben')).toBe(200);
  });

  it('count for the whole /64 of an IPv6 address, and for a mapped IPv4 address as for the plain one', async () => {
    for (let n = 0; n < 10; n++) await fail(`nobody ${n}`, { ip: `2001:db8:1:2::${n.toString(16)}` });
    expect(await statusOf('ada', { ip: '2001:db8:1:2:ffff::1' })).toBe(429);
    expect(await statusOf('ada', { ip: '2001:db8:1:3::1' })).toBe(200);
    await knock(attacker);
    expect(await statusOf('ada', { ip: `::ffff:${attacker.ip}` })).toBe(429);
  });

  it('are at most 50 a day of one network, so that one machine cannot use up what strangers share', async () => {
    const sourcesOfOneNetwork = ['2001:db8:1:2::1', '2001:db8:1:3::1', '2001:db8:1:ffff::1'];
    let failed = 0;
    for (let n = 0; n < 600; n++) {
      if (n % 30 === 0) now += 16 * minute;
      const ip = sourcesOfOneNetwork[n % 3] ?? '';
      if ((await fail(`nobody ${n}`, { ip })) === 401) failed += 1;
    }
    expect(failed).toBe(limits.strangerLoginFailures.perNetwork);
    expect(await statusOf('ada', elsewhere)).toBe(200);
    expect(await statusOf('ada', { ip: '2001:db8:2:2::1' })).toBe(200);
  });

  it('keep the limits of the specification there: five per member, ten in all, for 15 minutes', async () => {
    for (let n = 0; n < 5; n++) expect(await fail('ada', attacker)).toBe(401);
    expect(await statusOf('ada', attacker)).toBe(429);
    expect(await statusOf('ben', attacker)).toBe(200);
    now += 15 * minute;
    expect(await statusOf('ada', attacker)).toBe(200);
  });
});

/** Fails as often as a name may after strangers have used up what they share. */
async function useUp(name: string): Promise<void> {
  const { perName } = limits.strangerLoginFailures;
  for (let n = 0; n < perName; n++) expect(await fail(name, { ip: `192.0.2.${n}` })).toBe(401);
  expect(await fail(name, { ip: `192.0.2.${perName}` })).toBe(429);
}

describe('wrong codes from any number of addresses', () => {
  it('leave three attempts to each name, whether or not a member has it', async () => {
    await flood();
    expect(await fail(undefined, elsewhere)).toBe(429);
    expect(await statusOf('ada', elsewhere)).toBe(200);
    await useUp('ada');
    await useUp('stranger');
    expect(await statusOf('ada', elsewhere)).toBe(429);
    expect(await statusOf('ben', elsewhere)).toBe(200);
    // A network that has used up its share has no attempt with any name.
    expect(await statusOf('ben', { ip: '203.0.1.7' })).toBe(429);
  });

  it('lock out strangers only: this machine, a known device, and a bearer have reserves of their own', async () => {
    const device = deviceCookieIn(await logIn('ada', elsewhere, { remember: true })) ?? '';
    await flood();
    await useUp('ada');
    await useUp('ben');
    expect(await statusOf('ada', elsewhere)).toBe(429);
    expect(await statusOf('ada', { ip: '198.51.100.10' })).toBe(429);
    expect(await statusOf('ada', { ...elsewhere, cookie: device })).toBe(200);
    expect(await statusOf('ben', { ...elsewhere, bearer: team.token('ben') })).toBe(200);
    expect(await statusOf('cy')).toBe(200);
    // Neither vouches for anybody else.
    expect(await statusOf('ben', { ...elsewhere, cookie: device })).toBe(429);
    expect(await statusOf('ada', { ...elsewhere, bearer: team.token('ben') })).toBe(429);
    now += 24 * 60 * minute;
    expect(await statusOf('ada', { ip: '198.51.100.11' })).toBe(200);
  });
});

it('a login without a name gives back what it counted itself, and nothing of what others failed', async () => {
  await flood(1);
  for (let n = 0; n < 3; n++) {
    now += 30_000;
    const body = { code: codeAt(secrets.ben ?? '', now) };
    expect((await postJson(team, '/session/totp', body, headersOf(elsewhere))).status).toBe(200);
  }
  expect(await fail('nobody', { ip: '198.51.100.20' })).toBe(401);
  const refused = await postJson(team, '/session/totp', { code: '000000' }, headersOf(elsewhere));
  expect(refused.status).toBe(429);
  expect(await refused.json()).toMatchObject({
    reason: 'too_many_unnamed_codes',
    message: expect.stringContaining('enter your name'),
  });
});

describe('a known device', () => {
  it('has a cookie that only a login that asks for it sets, and that only the login gets', async () => {
    expect((await logIn('ada')).headers.getSetCookie().join()).not.toContain('svc_device');
    const reply = await logIn('ada', {}, { remember: true });
    expect(reply.headers.getSetCookie()).toEqual([
      expect.stringMatching(/^svc_session=/),
      expect.stringMatching(/^svc_session_http_\d+=/),
      expect.stringMatching(
        /^svc_device=[\w-]{43}; Path=\/session\/totp; HttpOnly; SameSite=Strict; Max-Age=15552000$/,
      ),
      expect.stringMatching(
        /^svc_device_http_\d+=[\w-]{43}; Path=\/session\/totp; HttpOnly; SameSite=Strict; Max-Age=15552000$/,
      ),
    ]);
    expect((await withCookie(team, deviceCookieIn(reply) ?? '', '/session')).status).toBe(401);
  });

  it('keeps its cookie at the next login and after a restart; another member gets another one', async () => {
    const cookie = deviceCookieIn(await logIn('ada', {}, { remember: true })) ?? '';
    await team.restart();
    expect(deviceCookieIn(await logIn('ada', { cookie }, { remember: true }))).toBe(cookie);
    expect(deviceCookieIn(await logIn('ben', { cookie }, { remember: true }))).not.toBe(cookie);
    const planted = `svc_device=${'A'.repeat(43)}`;
    expect(deviceCookieIn(await logIn('ada', { cookie: planted }, { remember: true }))).not.toBe(planted);
  });

  it.each<[string, (cookie: string) => Promise<unknown>]>([
    ['the member signs out everywhere', () => team.as('ada').call('endSessions', { query: {} })],
    [
      'another authenticator is bound',
      async () => {
        now += 30_000;
        const body = { presentCode: codeAt(secrets.ada ?? '', now) };
        const { totpSecret } = await team.as('ada').call('enrollTotp', { params: { name: 'ada' }, body });
        secrets.ada = totpSecret;
      },
    ],
    [
      'the token is rotated',
      () =>
        team
          .as('ben')
          .call('roster', {})
          .then(() => team.as('ada').call('rotateToken', { params: { name: 'ada' } })),
    ],
    [
      'nobody logged in there for half a year',
      async () => {
        now += limits.knownDevice.lifetimeMs;
      },
    ],
  ])('is unknown once %s', async (_, end) => {
    const cookie = deviceCookieIn(await logIn('ada', elsewhere, { remember: true })) ?? '';
    await end(cookie);
    await knock(elsewhere);
    expect(await statusOf('ada', { ...elsewhere, cookie })).toBe(429);
    await team.restart();
    await knock(elsewhere);
    expect(await statusOf('ada', { ...elsewhere, cookie })).toBe(429);
  });

  it('is one of twenty of its member: the one that was used longest ago makes room', async () => {
    const first = deviceCookieIn(await logIn('ada', {}, { remember: true })) ?? '';
    const second = deviceCookieIn(await logIn('ada', {}, { remember: true })) ?? '';
    expect(deviceCookieIn(await logIn('ada', { cookie: first }, { remember: true }))).toBe(first);
    for (let n = 2; n <= limits.knownDevice.perMember; n++) await logIn('ada', {}, { remember: true });
    await team.restart();
    await knock(elsewhere);
    expect(await statusOf('ada', { ...elsewhere, cookie: second })).toBe(429);
    expect(await statusOf('ada', { ...elsewhere, cookie: first })).toBe(200);
  });

  it('that used up its own reserve falls back on that of its address', async () => {
    const cookie = deviceCookieIn(await logIn('ada', elsewhere, { remember: true })) ?? '';
    const from = { ...elsewhere, cookie };
    for (let n = 0; n < 10; n++) expect(await fail('ada', from)).toBe(401);
    expect(await fail('ada', from)).toBe(429);
  });
});

describe('who knocks', () => {
  const report = () => team.as('ada').call('loginFailures', {});

  it('is counted per address, with what was refused, for 15 minutes', async () => {
    expect(await report()).toEqual({ windowMs: 15 * minute, total: 0, sources: [] });
    await knock(attacker);
    await fail('ben', {});
    await logIn('ben', elsewhere);
    const lastAt = now - 30_000;
    expect(await report()).toEqual({
      windowMs: 15 * minute,
      total: 12,
      sources: [
        { address: attacker.ip, count: 11, lastAt },
        { address: '127.0.0.1', count: 1, lastAt },
      ],
    });
    now += 16 * minute;
    expect(await report()).toMatchObject({ total: 0, sources: [] });
  });

  it('is in the log at most once a minute, without codes', async () => {
    await knock(attacker);
    const lines = () =>
      team
        .logged()
        .split('\n')
        .filter((line) => line.includes('logins failed'));
    expect(lines()).toHaveLength(1);
    now += minute;
    await fail('ada', elsewhere);
    expect(lines().map((line) => JSON.parse(line))).toMatchObject([
      { failures: 1, last15Minutes: 1, sources: [{ address: attacker.ip, count: 1 }] },
      { failures: 11, last15Minutes: 12, sources: [{ address: attacker.ip, count: 11 }, { count: 1 }] },
    ]);
  });
});

it('nothing grows with the number of addresses', () => {
  const reserves = createLoginReserves(() => now);
  const { all, perName, nameCounters } = limits.strangerLoginFailures;
  for (let n = 0; n < 20_000; n++) {
    try {
      const source = `10.${n >> 16}.${(n >> 8) & 255}.${n & 255}`;
      const named = `nobody ${n}`;
      const from = { address: source, source, network: source };
      reserves.begin(named, reservesOf({ named, device: null, bearer: null, ...from }));
    } catch {
      // Refused.
    }
  }
  expect(reserves.size()).toBeGreaterThan(all);
  expect(reserves.size()).toBeLessThanOrEqual(all + perName * nameCounters);
  now += 24 * 60 * minute;
  reserves.begin(null, [{ key: 'loopback', days: [] }]);
  expect(reserves.size()).toBe(1);
});
