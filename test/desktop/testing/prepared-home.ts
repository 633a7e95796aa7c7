/**
 * A home whose team is already set up. HTTPS, once turned on, stays on loopback, and the login is one request
 * of the page.
 */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { freePort } from '../../../broker/testing/free-port.ts';
import { codeAt } from '../../../broker/testing/test-authenticator.ts';
import { homePaths } from './person-home.ts';

/** ada is a manager, and ben is not. */
const secretByMember = { ada: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP', ben: 'KRUGKIDROVUWG2ZAMJZG653OEBTG66BA' };

export interface PreparedHome {
  path: string;
  configPath: string;
  httpsPort: number;
  remove(): void;
}

export async function prepareHome(): Promise<PreparedHome> {
  const path = mkdtempSync(join(tmpdir(), 'muster-desktop-'));
  const { configPath } = homePaths(path);
  mkdirSync(dirname(configPath), { recursive: true, mode: 0o700 });
  const httpsPort = await freePort();
  const member = (name: keyof typeof secretByMember, rawPermissions: string[]) => ({
    name,
    role: { title: name, description: '' },
    rawPermissions,
    totpSecret: secretByMember[name],
  });
  const config = {
    listen: { httpsHost: '127.0.0.1', httpsPort },
    files: { root: join(path, 'files') },
    team: { name: 'Harbour', permissionPresets: { admin: ['team.manage', 'members.manage'] } },
    store: { members: [member('ada', ['admin']), member('ben', [])] },
  };
  writeFileSync(configPath, JSON.stringify(config), { mode: 0o600 });
  return { path, configPath, httpsPort, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Sends a request of the window's page over its bridge. @throws Error if the broker refuses it. */
export async function call(page: Page, method: string, url: string, body?: object): Promise<unknown> {
  const request = {
    method,
    url,
    headers: { 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  };
  const reply = (await page.evaluate(`window.muster.request(${JSON.stringify(request)})`)) as {
    value?: { status: number; body: string };
  };
  const { status = 0, body: answer = '' } = reply.value ?? {};
  if (status >= 300 || status === 0) throw new Error(`${method} ${url}: ${JSON.stringify(reply)}`);
  return answer === '' ? null : JSON.parse(answer);
}

export async function logInAs(page: Page, member: keyof typeof secretByMember): Promise<void> {
  await call(page, 'POST', '/session/totp', { code: codeAt(secretByMember[member], Date.now()), member });
  await page.reload();
  await page.getByRole('navigation').first().waitFor();
}
