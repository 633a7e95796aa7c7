import { afterEach, beforeEach, expect, it } from 'vitest';
import { limits } from '#protocol/limits.ts';
import { rawRequest } from '../../testing/raw-request.ts';
import { cookieOf, postJson, withCookie } from '../../testing/test-authenticator.ts';
import { startTestBroker, type TestBroker } from '../../testing/test-broker.ts';

let now = Date.UTC(2026, 10, 26);
let team: TestBroker;

beforeEach(async () => {
  team = await startTestBroker({ clock: () => now, members: { ada: ['admin'], ben: [] } });
});
afterEach(() => team.stop());

const codeOf = async (name: string): Promise<string> =>
  (await team.as(name).call('createConsoleLink', {})).code;
const use = (code: string, body = {}) => postJson(team, '/session/link', { code, ...body });
const reasonOf = async (reply: Response) =>
  ({ status: reply.status, reason: ((await reply.json()) as { reason: string }).reason }) as const;
const invalid = { status: 401, reason: 'login_link_invalid' };

it('logs in the member who made it, and nobody else, once', async () => {
  const code = await codeOf('ben');
  const reply = await use(code);
  expect(reply.status).toBe(200);
  expect(await reply.json()).toMatchObject({ member: 'ben', permissions: [] });
  const session = await withCookie(team, cookieOf(reply), '/session');
  expect(await session.json()).toMatchObject({ member: 'ben' });
  expect(await reasonOf(await use(code))).toEqual(invalid);
});

it('opens one session also if it arrives many times at once', async () => {
  const code = await codeOf('ben');
  const replies = await Promise.all(Array.from({ length: 5 }, () => use(code)));
  expect(replies.map(({ status }) => status).sort()).toEqual([200, 401, 401, 401, 401]);
});

it('opens a bound session on request, which is of no use without its secret', async () => {
  const reply = await use(await codeOf('ben'), { bound: true });
  expect(await reply.json()).toMatchObject({ secret: expect.stringMatching(/^[\w-]{43}$/) });
  expect((await withCookie(team, cookieOf(reply), '/session')).status).toBe(401);
});

it('cannot be made so often that its logins fill the audit log', async () => {
  for (let n = 0; n < limits.ownChanges.perMember; n++) await codeOf('ben');
  await expect(codeOf('ben')).rejects.toMatchObject({ status: 429, reason: 'too_many_own_changes' });
  await codeOf('ada');
});

it('ends after a minute', async () => {
  const [early, late] = [await codeOf('ben'), await codeOf('ben')];
  now += 59_999;
  expect((await use(early)).status).toBe(200);
  now += 1;
  expect(await reasonOf(await use(late))).toEqual(invalid);
});

it('ends with the token that made it', async () => {
  const code = await codeOf('ben');
  await team.as('ada').call('rotateToken', { params: { name: 'ben' } });
  expect(await reasonOf(await use(code))).toEqual(invalid);
});

it('ends when the member signs out everywhere', async () => {
  const code = await codeOf('ben');
  await team.as('ben').call('endSessions', { query: {} });
  expect(await reasonOf(await use(code))).toEqual(invalid);
});

it('ends with the removal of the member', async () => {
  const code = await codeOf('ben');
  await team.as('ada').call('deleteMember', { params: { name: 'ben' } });
  expect(await reasonOf(await use(code))).toEqual(invalid);
});

it('keeps at most five open links of a member, the newest ones, and those of others', async () => {
  const other = await codeOf('ada');
  const codes = [];
  for (let count = 0; count < 6; count++) codes.push(await codeOf('ben'));
  expect(await reasonOf(await use(codes[0] ?? ''))).toEqual(invalid);
  expect((await use(codes[1] ?? '')).status).toBe(200);
  expect((await use(codes[5] ?? '')).status).toBe(200);
  expect((await use(other)).status).toBe(200);
});

it('is not made with a session or with the token of a run', async () => {
  const cookie = cookieOf(await use(await codeOf('ben')));
  const bySession = await withCookie(team, cookie, '/session/links', { method: 'POST' });
  expect(bySession.status).toBe(403);
  const { token } = await team
    .as('ada')
    .call('createRunToken', { params: { name: 'ben' }, body: { label: 'run' } });
  const byRun = await postJson(team, '/session/links', undefined, { authorization: `Bearer ${token}` });
  expect(await reasonOf(byRun)).toEqual({ status: 403, reason: 'run_makes_no_credentials' });
});

it('works in plain HTTP only on the machine of the broker', async () => {
  const from = (address: string, scheme: 'http' | 'https') => ({
    'x-forwarded-for': address,
    'x-forwarded-proto': scheme,
  });
  const proxied = await startTestBroker({
    clock: () => now,
    members: { ada: ['admin'], ben: [] },
    config: { listen: { trustedProxies: ['127.0.0.1'] } },
  });
  try {
    const { code } = await proxied.as('ben').call('createConsoleLink', {});
    const exposed = await postJson(proxied, '/session/link', { code }, from('192.0.2.7', 'http'));
    expect(await reasonOf(exposed)).toEqual({ status: 403, reason: 'login_link_exposed' });
    const secure = await postJson(proxied, '/session/link', { code }, from('192.0.2.7', 'https'));
    expect(secure.status).toBe(200);
  } finally {
    await proxied.stop();
  }
});

it('does not take a proxy of this machine for the machine itself: it names another host', async () => {
  const proxied = await startTestBroker({
    clock: () => now,
    members: { ada: ['admin'], ben: [] },
    config: { listen: { hosts: ['team.example'] } },
  });
  try {
    const { code } = await proxied.as('ben').call('createConsoleLink', {});
    const body = JSON.stringify({ code });
    const { port } = new URL(proxied.url);
    const head = `POST /session/link HTTP/1.1\r\nHost: team.example\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n`;
    const answer = await rawRequest(`http://127.0.0.1:${port}`, head + body);
    expect(answer).toContain('login_link_exposed');
    expect((await postJson(proxied, '/session/link', { code })).status).toBe(200);
  } finally {
    await proxied.stop();
  }
});

it('leaves a record of the login that names the token', async () => {
  const { tokens } = await team.as('ben').call('tokens', { params: { name: 'ben' } });
  await use(await codeOf('ben'));
  await use('x'.repeat(43));
  const { records } = await team.as('ada').call('audit', { query: { kind: 'login' } });
  expect(records).toMatchObject([
    { member: 'ben', subject: 'ben', after: { linkOf: tokens[0]?.id, bound: false } },
  ]);
});
