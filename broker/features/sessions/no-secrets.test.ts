import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { CreatedMember } from '#protocol/member.ts';
import {
  bindAuthenticator,
  codeAt,
  cookieOf,
  logInWith,
  withCookie,
  wrongCode,
} from '../../testing/test-authenticator.ts';
import { startTestBroker } from '../../testing/test-broker.ts';

it('keeps tokens, cookies, TOTP secrets, and codes out of the log, svc.json, and the store’s files', async () => {
  const team = await startTestBroker({ onDisk: true });
  onTestFinished(() => team.stop());
  const secrets = new Map<string, string>([['bootstrap token', team.token('ben')]]);

  const created = await team.fetch('ada', '/members', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'eve', role: { title: 'x' }, permissions: [] }),
  });
  secrets.set('created token', ((await created.json()) as CreatedMember).token);
  const old = await bindAuthenticator(team, 'ben');
  secrets.set('first TOTP secret', old);
  const secret = await bindAuthenticator(team, 'ben', 'ada');
  secrets.set('TOTP secret', secret);
  const code = codeAt(secret, Date.now());
  const wrong = wrongCode([secret, old], Date.now());
  const { token } = await team.as('ben').call('rotateToken', { params: { name: 'ben' } });
  secrets.set('rotated token', token);
  const reply = await logInWith(team, code, 'ben');
  const cookie = cookieOf(reply);
  secrets.set('cookie', cookie.slice('svc_session='.length));
  await logInWith(team, wrong, 'ben');
  await logInWith(team, code, 'ben');
  await withCookie(team, cookie, '/session', { headers: { authorization: `Bearer ${token}` } });
  await team.fetch('ada', '/members/eve', { method: 'DELETE' });
  await team.restart();
  expect((await withCookie(team, cookie, '/session')).status).toBe(200);
  await team.broker.close();

  const places = new Map([['the log', team.logged()]]);
  const files = await readdir(team.folder);
  expect(files).toContain('main.db');
  for (const file of files) {
    if (!file.endsWith('.kek')) places.set(file, await readFile(join(team.folder, file), 'latin1'));
  }
  for (const [place, bytes] of places) {
    for (const [kind, value] of secrets) {
      expect(value.length, kind).toBeGreaterThan(20);
      expect(bytes.includes(value), `${kind} in ${place}`).toBe(false);
      expect(bytes.includes(Buffer.from(value).toString('base64')), `${kind} in ${place}`).toBe(false);
    }
  }
  // Six digits may be part of any number in a file, but the log never quotes codes.
  expect(team.logged()).not.toContain(`"${code}"`);
  expect(team.logged()).not.toContain(`"${wrong}"`);
});
