import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SetupReply } from '#protocol/setup.ts';
import { setupKeyHeader } from '#protocol/vocabulary.ts';
import { type Broker, createBroker } from '../../create-broker.ts';
import { createLog } from '../../runtime/log.ts';
import { codeAt, cookieOf, wrongCode } from '../../testing/test-authenticator.ts';

let folder: string;
let broker: Broker;
let url: string;
const logged: string[] = [];
let kept: string[];
const keepToken = async (token: string) => {
  kept.push(token);
  return 'http://kept.example';
};
const request = {
  team: { name: 'Lab', directive: 'Find out' },
  admin: { name: 'ada', role: { title: 'Lead' } },
};

beforeEach(async () => {
  kept = [];
  folder = await mkdtemp(join(tmpdir(), 'muster-'));
  const log = createLog({ destination: { write: (line: string) => void logged.push(line) } });
  broker = await createBroker({ configPath: join(folder, 'svc.json'), env: {}, log, keepToken });
  url = (await broker.listen({ port: 0 }))[0]?.url ?? '';
});
afterEach(async () => {
  await broker.close();
  await rm(folder, { recursive: true });
});

const setUp = (key: string | null, body: unknown = request, path = '/setup') =>
  fetch(url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key !== null && { [setupKeyHeader]: key }) },
    body: JSON.stringify(body),
  });

describe('an unconfigured broker', () => {
  it('serves /healthz and /setup; every other API route is 503 unavailable', async () => {
    expect((await fetch(`${url}/healthz`)).status).toBe(200);
    for (const path of ['/roster', '/history', '/subscribe?name=ada', '/openapi.json']) {
      const reply = await fetch(url + path);
      expect(reply.status, path).toBe(503);
      expect(await reply.json()).toMatchObject({ error: 'unavailable' });
    }
    expect((await fetch(`${url}/nope`)).status).toBe(404);
  });

  it('accepts no setup without its one-time key', async () => {
    for (const key of [null, '', 'x', `${broker.setupKey}x`]) expect((await setUp(key)).status).toBe(401);
    await expect(stat(join(folder, 'svc.json'))).rejects.toThrow();
  });

  it.each([
    ['no team', { admin: request.admin }],
    ['an empty team name', { ...request, team: { name: '' } }],
    ['a reserved member name', { ...request, admin: { ...request.admin, name: 'system' } }],
    ['no role', { ...request, admin: { name: 'ada' } }],
  ])('answers %s with 400 and stays unconfigured', async (_, body) => {
    expect((await setUp(broker.setupKey, body)).status).toBe(400);
    expect(broker.setupKey).not.toBeNull();
  });

  it('continues without a restart: the first member’s token works at once, and the setup is over', async () => {
    const key = broker.setupKey;
    const reply = await setUp(key);
    expect(reply.status).toBe(200);
    const first = SetupReply.parse(await reply.json());
    expect(first.member).toMatchObject({ name: 'ada', role: { title: 'Lead', description: '' } });
    expect(first.member.permissions).toHaveLength(7);
    expect(first.totpUri).toContain(`secret=${first.totpSecret}`);
    const roster = await fetch(`${url}/roster`, { headers: { authorization: `Bearer ${first.token}` } });
    expect(roster.status).toBe(200);
    expect(broker.setupKey).toBeNull();
    expect((await setUp(key)).status).toBe(409);
    const written = await readFile(join(folder, 'svc.json'), 'utf8');
    for (const secret of [first.token, first.totpSecret ?? '', key ?? '']) {
      expect(written).not.toContain(secret);
      expect(logged.join('')).not.toContain(secret);
    }
    expect(JSON.parse(written)).toMatchObject({
      files: { root: expect.any(String) },
      webPush: { vapidPublicKey: expect.any(String) },
    });
  });

  it('creates no TOTP secret if asked not to', async () => {
    const first = SetupReply.parse(await (await setUp(broker.setupKey, { ...request, totp: false })).json());
    expect(first).toMatchObject({ totpSecret: null, totpUri: null });
  });

  it('accepts one of two setups at once', async () => {
    const replies = await Promise.all([setUp(broker.setupKey), setUp(broker.setupKey)]);
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409]);
  });
});

describe('a setup with a confirmed authenticator', () => {
  const propose = async () => {
    const reply = await setUp(broker.setupKey, request, '/setup/authenticator');
    expect(reply.status).toBe(200);
    return (await reply.json()) as { totpSecret: string; totpUri: string };
  };
  const confirm = (totpSecret: string, code: string, more = {}) =>
    setUp(broker.setupKey, { ...request, confirmed: { totpSecret, code, ...more } });
  const session = (cookie: string, secret: string) =>
    fetch(`${url}/session`, { headers: { cookie, 'x-svc-session-secret': secret } });

  it('proposes a secret only to the setup key and only for a valid setup, and writes nothing', async () => {
    const path = '/setup/authenticator';
    expect((await setUp('x', request, path)).status).toBe(401);
    expect((await setUp(broker.setupKey, { ...request, team: { name: '' } }, path)).status).toBe(400);
    const { totpSecret, totpUri } = await propose();
    expect(totpUri).toBe(`otpauth://totp/Lab:ada?secret=${totpSecret}&issuer=Lab`);
    expect((await propose()).totpSecret).not.toBe(totpSecret);
    await expect(stat(join(folder, 'svc.json'))).rejects.toThrow('ENOENT');
  });

  it('refuses a wrong code in one sentence and changes nothing, so that the next code works', async () => {
    const { totpSecret } = await propose();
    const wrong = await confirm(totpSecret, wrongCode([totpSecret], Date.now()));
    expect(wrong.status).toBe(400);
    expect(await wrong.json()).toMatchObject({ reason: 'setup_code_wrong' });
    await expect(stat(join(folder, 'svc.json'))).rejects.toThrow('ENOENT');
    expect(broker.setupKey).not.toBeNull();
    expect(kept).toEqual([]);
    expect((await confirm(totpSecret, codeAt(totpSecret, Date.now()))).status).toBe(200);
    expect(broker.setupKey).toBeNull();
  });

  it('opens a session with the code, which is then used up', async () => {
    const { totpSecret } = await propose();
    const code = codeAt(totpSecret, Date.now());
    const reply = await confirm(totpSecret, code, { bound: true });
    const made = SetupReply.parse(await reply.json());
    expect(made).toMatchObject({ totpSecret, session: { member: 'ada' } });
    expect((await session(cookieOf(reply), made.session?.secret ?? '')).status).toBe(200);
    const again = await fetch(`${url}/session/totp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code, member: 'ada' }),
    });
    expect(again.status).toBe(401);
  });

  it('accepts a code of the step before', async () => {
    const { totpSecret } = await propose();
    const now = Date.now();
    // In the last second of a step, the code of the step before it could become too old on the way.
    const at = now % 30_000 > 29_000 ? now : now - 30_000;
    expect((await confirm(totpSecret, codeAt(totpSecret, at))).status).toBe(200);
  });

  it.each([
    ['a short secret', { confirmed: { totpSecret: 'ABC', code: '123456' } }],
    ['a code without a secret', { confirmed: { code: '123456' } }],
    [
      'no authenticator at the same time',
      { totp: false, confirmed: { totpSecret: 'A'.repeat(32), code: '123456' } },
    ],
  ])('answers %s with 400 and stays unconfigured', async (_, more) => {
    expect((await setUp(broker.setupKey, { ...request, ...more })).status).toBe(400);
    expect(broker.setupKey).not.toBeNull();
  });
});

describe('the token on the machine of the broker', () => {
  it('is saved for a setup over loopback, and the reply says for which address', async () => {
    const made = SetupReply.parse(await (await setUp(broker.setupKey)).json());
    expect(kept).toEqual([made.token]);
    expect(made.savedFor).toBe('http://kept.example');
  });

  it('is not saved for a setup from another machine', async () => {
    const reply = await broker.inject({
      method: 'POST',
      url: '/setup',
      remoteAddress: '192.0.2.7',
      headers: { [setupKeyHeader]: broker.setupKey ?? '' },
      payload: request,
    });
    expect(reply.statusCode).toBe(200);
    expect(reply.json()).not.toHaveProperty('savedFor');
    expect(kept).toEqual([]);
  });
});
