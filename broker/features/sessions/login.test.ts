import { readFile, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  bindAuthenticator,
  codeAt,
  cookieOf,
  logInWith,
  withCookie,
  wrongCode,
} from '../../testing/test-authenticator.ts';
import { startTestBroker, type TestBroker } from '../../testing/test-broker.ts';

const start = Date.UTC(2026, 5, 1, 12);
let now = start;
let team: TestBroker;
const secretOf: Record<string, string> = {};

beforeEach(async () => {
  now = start;
  team = await startTestBroker({ clock: () => now, members: { ada: ['admin'], ben: [], cy: [], dan: [] } });
  for (const name of ['ada', 'ben', 'cy']) secretOf[name] = await bindAuthenticator(team, name);
});
afterEach(() => team.stop());

const code = (name: string, at = now): string => codeAt(secretOf[name] ?? '', at);
const wrong = (): string => wrongCode(Object.values(secretOf), now);
const asRead = async (reply: Response) => ({ status: reply.status, body: await reply.json() });
const refused = {
  status: 401,
  body: { error: 'unauthenticated', reason: 'login_failed', message: 'the member or the code is wrong' },
};

describe('POST /session/totp', () => {
  it('answers 200 with the SessionResponse and Set-Cookie for the session cookie, as an independent authenticator sees it', async () => {
    const reply = await logInWith(team, code('ada'), 'ada');
    expect(reply.status).toBe(200);
    expect(reply.headers.getSetCookie()[0]).toMatch(
      /^svc_session=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=604800$/,
    );
    expect(await reply.json()).toEqual({
      member: 'ada',
      role: { title: 'ada', description: '' },
      permissions: expect.arrayContaining(['members.manage']),
      expiresAt: now + 7 * 86_400_000,
    });
    expect((await withCookie(team, cookieOf(reply), '/roster')).status).toBe(200);
  });

  it('accepts a code once, also when it arrives many times at once', async () => {
    const replies = await Promise.all(Array.from({ length: 5 }, () => logInWith(team, code('ben'), 'ben')));
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401, 401]);
    expect(await asRead(await logInWith(team, code('ben')))).toEqual(refused);
  });

  it('accepts a code once, also across a restart', async () => {
    await team.stop();
    team = await startTestBroker({ clock: () => now, onDisk: true });
    const secret = await bindAuthenticator(team, 'ben');
    expect((await logInWith(team, codeAt(secret, now), 'ben')).status).toBe(200);
    await team.restart();
    expect((await logInWith(team, codeAt(secret, now), 'ben')).status).toBe(401);
    now += 30_000;
    expect((await logInWith(team, codeAt(secret, now), 'ben')).status).toBe(200);
  });

  it('accepts one step of drift in either direction, and no more', async () => {
    expect((await logInWith(team, code('ada', now - 60_000), 'ada')).status).toBe(401);
    expect((await logInWith(team, code('ada', now + 60_000), 'ada')).status).toBe(401);
    expect((await logInWith(team, code('ada', now - 30_000), 'ada')).status).toBe(200);
    expect((await logInWith(team, code('ada', now + 30_000), 'ada')).status).toBe(200);
    // A later step was used, so the present one is behind it.
    expect((await logInWith(team, code('ada'), 'ada')).status).toBe(401);
  });

  it('verifies the code against that member only when member is given', async () => {
    expect(await asRead(await logInWith(team, code('ada'), 'ben'))).toEqual(refused);
    expect((await logInWith(team, code('ada'), 'ada')).status).toBe(200);
  });

  it('searches enrolled members for a match when member is omitted', async () => {
    for (const name of ['cy', 'ada', 'ben']) {
      const reply = await logInWith(team, code(name));
      expect(await reply.json()).toMatchObject({ member: name });
    }
    expect(await asRead(await logInWith(team, wrong()))).toEqual(refused);
  });

  it('answers the same 401 for an unknown member, a member without TOTP, and a wrong code', async () => {
    const replies = await Promise.all([
      logInWith(team, wrong(), 'ada'),
      logInWith(team, wrong(), 'nobody'),
      logInWith(team, wrong(), 'dan'),
      logInWith(team, wrong()),
      logInWith(team, code('ada'), 'ADA'),
      logInWith(team, code('ada'), '__proto__'),
    ]);
    for (const reply of replies) {
      expect(reply.headers.get('set-cookie')).toBeNull();
      expect(await asRead(reply)).toEqual(refused);
    }
  });

  it.each(['12345', '1234567', '12345a', '', ' 123456', '１２３４５６'])(
    'answers 400 to the code %j, and counts no failure',
    async (malformed) => {
      for (let i = 0; i < 11; i++) expect((await logInWith(team, malformed, 'ada')).status).toBe(400);
      expect((await logInWith(team, code('ada'), 'ada')).status).toBe(200);
    },
  );

  it('stops accepting codes of the old secret at once when TOTP is enrolled again', async () => {
    const old = code('ben');
    const fresh = await bindAuthenticator(team, 'ben', 'ada');
    expect((await logInWith(team, old, 'ben')).status).toBe(401);
    expect((await logInWith(team, codeAt(fresh, now), 'ben')).status).toBe(200);
  });

  it('accepts a migrated secret of 80 bits', async () => {
    const document = JSON.parse(await readFile(team.configPath, 'utf8'));
    document.store.members[3].totpSecret = 'jbsw y3dp ehpk 3pxp';
    await writeFile(team.configPath, JSON.stringify(document));
    await team.restart();
    expect((await logInWith(team, codeAt('JBSWY3DPEHPK3PXP', now), 'dan')).status).toBe(200);
  });

  it('lets others in if one member’s secret cannot be decrypted, and answers that member with the same 401', async () => {
    const document = JSON.parse(await readFile(team.configPath, 'utf8'));
    const [ada, ben] = document.store.members;
    // As with another key: an envelope that was sealed for somebody else does not open.
    ben.totpSecret = { ...ada.totpSecret };
    await writeFile(team.configPath, JSON.stringify(document));
    await team.restart();
    expect(await asRead(await logInWith(team, code('ben'), 'ben'))).toEqual(refused);
    expect((await logInWith(team, code('ada'))).status).toBe(200);
    expect((await logInWith(team, code('cy'), 'cy')).status).toBe(200);
    expect(JSON.parse(await readFile(team.configPath, 'utf8')).store.members[1].totpSecret).toEqual(
      ben.totpSecret,
    );
  });
});

describe('the limits of TOTP login', () => {
  const limited = async (reply: Response) => {
    expect(reply.status).toBe(429);
    expect(await reply.json()).toMatchObject({ error: 'rate_limited' });
    return reply.headers.get('retry-after');
  };

  it('are 5 failures per 15 minutes per member, answered 429 with Retry-After in whole seconds', async () => {
    for (let i = 0; i < 5; i++) {
      expect((await logInWith(team, wrong(), 'ben')).status).toBe(401);
      now += 1500;
    }
    expect(await limited(await logInWith(team, code('ben'), 'ben'))).toBe(String(Math.ceil(900 - 7.5)));
    expect((await logInWith(team, code('ada'), 'ada')).status).toBe(200);
    now = start + 15 * 60_000;
    expect((await logInWith(team, code('ben'), 'ben')).status).toBe(200);
  });

  it('hold for a limited member also without its name', async () => {
    for (let i = 0; i < 5; i++) await logInWith(team, wrong(), 'ben');
    expect((await logInWith(team, code('ben'))).status).toBe(401);
  });

  it('are 10 failures per 15 minutes globally, also under invented names', async () => {
    for (let i = 0; i < 10; i++) expect((await logInWith(team, wrong(), `made-up-${i}`)).status).toBe(401);
    expect(await limited(await logInWith(team, code('ada'), 'ada'))).toBe('900');
    expect(await limited(await logInWith(team, code('ada')))).toBe('900');
    now += 15 * 60_000;
    expect((await logInWith(team, code('ada'), 'ada')).status).toBe(200);
  });

  it('treat an invented name like a member’s', async () => {
    for (let i = 0; i < 5; i++) expect((await logInWith(team, wrong(), 'nobody')).status).toBe(401);
    await limited(await logInWith(team, wrong(), 'nobody'));
  });

  it('are not outrun by parallel guesses', async () => {
    const guesses = Array.from({ length: 40 }, () => logInWith(team, wrong(), 'ben'));
    const statuses = (await Promise.all(guesses)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(5);
    expect(statuses.filter((status) => status === 429)).toHaveLength(35);
  });

  it('count failures only, and a member’s own success clears that member’s count but not the global one', async () => {
    for (let round = 0; round < 2; round++) {
      for (let i = 0; i < 4; i++) expect((await logInWith(team, wrong(), 'ben')).status).toBe(401);
      expect((await logInWith(team, code('ben'), 'ben')).status).toBe(200);
      now += 30_000;
    }
    expect((await logInWith(team, wrong(), 'ben')).status).toBe(401);
    expect((await logInWith(team, wrong(), 'ben')).status).toBe(401);
    await limited(await logInWith(team, code('ada'), 'ada'));
  });

  it('are not loosened by the success of another member', async () => {
    for (let i = 0; i < 5; i++) await logInWith(team, wrong(), 'ben');
    expect((await logInWith(team, code('ada'), 'ada')).status).toBe(200);
    await limited(await logInWith(team, code('ben'), 'ben'));
  });
});
