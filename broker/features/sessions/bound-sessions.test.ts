import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { sessionSecretHeader } from '#protocol/vocabulary.ts';
import {
  bindAuthenticator,
  codeAt,
  cookieOf,
  postJson,
  withCookie,
} from '../../testing/test-authenticator.ts';
import { startTestBroker, type TestBroker } from '../../testing/test-broker.ts';

let now: number;
let team: TestBroker;
let totp: string;
beforeEach(async () => {
  now = Date.UTC(2026, 5, 1);
  team = await startTestBroker({ clock: () => now, onDisk: true, config: { files: { root: 'files' } } });
  totp = await bindAuthenticator(team, 'ben');
});
afterEach(() => team.stop());

/** Each login uses a code of its own. */
async function logIn(bound?: boolean | null) {
  now += 30_000;
  const body = { code: codeAt(totp, now), member: 'ben', ...(bound !== undefined && { bound }) };
  const reply = await postJson(team, '/session/totp', body);
  expect(reply.status).toBe(200);
  const answer = (await reply.json()) as { secret?: string };
  return { cookie: cookieOf(reply), answer, secret: answer.secret ?? '' };
}

const refused = {
  error: 'unauthenticated',
  reason: 'session_not_of_this_page',
  message: expect.any(String),
};

describe('a bound session', () => {
  it.each([
    ['JSON', '/roster', {}],
    ['who it is', '/session', {}],
    ['a live stream', '/subscribe?name=ben', {}],
    ['a stream of activity', '/members/ben/activity/stream', {}],
    ['a download', '/fs/read/ben/note.txt', {}],
    ['an upload', '/fs/write?path=/ben/other.txt', { method: 'POST', body: 'x' }],
    ['pages', '/objectives', {}],
    ['the end of sessions', '/sessions', { method: 'DELETE' }],
    ['a new token', '/members/ben/rotate-token', { method: 'POST' }],
    ['logging out', '/session/logout', { method: 'POST' }],
  ])('is refused %s without its secret or with another one, and is not renewed', async (_, path, init) => {
    await team.fetch('ben', '/fs/write?path=/ben/note.txt', { method: 'POST', body: 'x' });
    const { cookie, secret } = await logIn(true);
    const other = await logIn(true);
    for (const headers of [{}, { [sessionSecretHeader]: other.secret }, { [sessionSecretHeader]: '' }]) {
      const reply = await withCookie(team, cookie, path, { ...init, headers });
      expect(reply.status).toBe(401);
      expect(reply.headers.get('set-cookie')).toBeNull();
      expect(await reply.json()).toEqual(refused);
    }
    const reply = await withCookie(team, cookie, path, {
      ...init,
      headers: { [sessionSecretHeader]: secret },
    });
    expect(reply.status).toBeLessThan(300);
    await reply.body?.cancel();
  });

  it('works with its secret after a restart, and the session list names it', async () => {
    const { cookie, secret } = await logIn(true);
    const plain = await logIn();
    await team.restart();
    const headers = { [sessionSecretHeader]: secret };
    const reply = await withCookie(team, cookie, '/sessions', { headers });
    expect(((await reply.json()) as { sessions: object[] }).sessions).toMatchObject([
      { bound: true, current: true },
      { bound: false, current: false },
    ]);
    expect((await withCookie(team, plain.cookie, '/session')).status).toBe(200);
  });

  it('has a secret of which only the hash is stored', async () => {
    const { secret } = await logIn(true);
    expect(secret).toMatch(/^[A-Za-z0-9_-]{43}$/);
    await team.broker.close();
    for (const file of (await readdir(team.folder)).filter((name) => name.startsWith('main.db')))
      expect((await readFile(join(team.folder, file), 'latin1')).includes(secret), file).toBe(false);
    expect(team.logged()).not.toContain(secret);
    await team.restart();
  });
});

describe('a session of another client', () => {
  it.each([[undefined], [false], [null]])(
    'works by its cookie alone, and its login has no secret (%s)',
    async (bound) => {
      const { cookie, answer } = await logIn(bound);
      expect(Object.keys(answer).sort()).toEqual(['expiresAt', 'member', 'permissions', 'role']);
      expect((await withCookie(team, cookie, '/session')).status).toBe(200);
    },
  );

  it('is refused to a page that sends a secret: another page planted its cookie there', async () => {
    const { secret } = await logIn(true);
    const { cookie: planted } = await logIn();
    const headers = { [sessionSecretHeader]: secret };
    const reply = await withCookie(team, planted, '/session', { headers });
    expect(reply.status).toBe(401);
    expect(await reply.json()).toEqual(refused);
  });
});
