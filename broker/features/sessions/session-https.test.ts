import { writeFile } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createBroker } from '../../create-broker.ts';
import { createLog } from '../../runtime/log.ts';
import { createAuthority, issueLeaf } from '../../security/certificates.ts';
import { testFolder } from '../../storage/testing/test-store.ts';
import { codeAt } from '../../testing/test-authenticator.ts';

const secret = 'JBSWY3DPEHPK3PXP';

it('makes the session cookie Secure over HTTPS when it is created, sent again, and cleared', async () => {
  const folder = await testFolder();
  const authority = await createAuthority({ teamName: 'Test', names: ['localhost'], now: Date.now() });
  const leaf = await issueLeaf({ authority, names: ['127.0.0.1'], now: Date.now() });
  await writeFile(join(folder, 'leaf.crt'), leaf.certificate);
  await writeFile(join(folder, 'leaf.key'), leaf.key);
  const configPath = join(folder, 'svc.json');
  const member = {
    name: 'ada',
    role: { title: 'x' },
    rawPermissions: ['members.manage'],
    totpSecret: secret,
  };
  const https = { port: 0, cert: 'leaf.crt', key: 'leaf.key' };
  const listen = { httpsHost: '127.0.0.1' };
  await writeFile(
    configPath,
    JSON.stringify({ team: { name: 'Test' }, store: { members: [member] }, https, listen }),
  );
  const log = createLog({ level: 'silent' });
  const broker = await createBroker({ configPath, env: {}, log });
  onTestFinished(() => broker.close());
  const { url } = (await broker.listen({ port: 0 })).find((one) => one.url.startsWith('https:'))!;

  const call = (method: string, path: string, headers: Record<string, string>, body?: object) =>
    new Promise<string[]>((resolve, reject) => {
      const done = (response: IncomingMessage) => {
        response.resume().once('end', () => resolve(response.headers['set-cookie'] ?? []));
      };
      const port = new URL(url).port;
      const options = {
        method,
        host: '127.0.0.1',
        port,
        path,
        headers,
        ca: authority.certificate,
        agent: false,
      };
      request(options, done)
        .on('error', reject)
        .end(body && JSON.stringify(body));
    });
  const json = { 'content-type': 'application/json' };
  const [made = '', own = ''] = await call('POST', '/session/totp', json, {
    code: codeAt(secret, Date.now()),
  });
  const secure =
    /^svc_session=[A-Za-z0-9_-]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=604800; Secure$/;
  expect(made).toMatch(secure);
  const cookie = made.split(';')[0] ?? '';
  expect(await call('GET', '/session', { cookie })).toEqual([made, own]);
  const name = `svc_session_https_${new URL(url).port}`;
  expect(own).toBe(made.replace('svc_session', name));
  const cleared = 'svc_session=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0; Secure';
  expect(await call('POST', '/session/logout', { cookie })).toEqual([
    cleared,
    cleared.replace('svc_session', name),
  ]);
});
