/** The console in a real Chromium behind the real nginx and the real Caddy, configured as the documents say. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeAt, freshAuthenticator } from '../../broker/testing/test-authenticator.ts';
import { startTestBroker, type TestBroker } from '../../broker/testing/test-broker.ts';
import { builtConsole } from '../browser/testing/built-console.ts';
import { complaintsOf, launchChromium } from '../browser/testing/chromium.ts';
import { showPagesOfFailures } from '../browser/testing/failure-view.ts';
import { type ProxyKind, publicName, type RealProxy, startProxy } from './real-proxy.ts';

const uploadedBytes = 100 * 1024 * 1024;

describe.each<ProxyKind>(['nginx', 'caddy'])('behind %s, the console', (kind) => {
  let team: TestBroker;
  let proxy: RealProxy;
  let browser: Browser;
  let page: Page;
  let origin: string;
  let errors: string[];
  showPagesOfFailures(() => browser);
  beforeAll(async () => {
    team = await startTestBroker({
      onDisk: true,
      consoleFolder: await builtConsole(),
      config: {
        listen: { hosts: [publicName], trustedProxies: ['127.0.0.1'] },
        files: { root: 'files', minFreeBytes: 0 },
      },
    });
    proxy = await startProxy(kind, team.url);
    origin = `https://${publicName}:${proxy.port}`;
    browser = await launchChromium(`--host-resolver-rules=MAP ${publicName} 127.0.0.1`);
    const context = await browser.newContext({ ignoreHTTPSErrors: true, locale: 'en-GB' });
    page = await context.newPage();
    errors = complaintsOf(page, origin);
  });
  afterAll(async () => {
    await browser?.close();
    await proxy?.stop();
    await team?.stop();
  });

  const log = () => page.getByRole('log', { name: 'Messages' });
  const push = (body: string) => team.as('ben').call('push', { body: { to: null, body } });

  it('loads, logs in by code, and gets a cookie that only HTTPS carries', async () => {
    const totpSecret = await freshAuthenticator(team, 'ada');
    await page.goto(`${origin}/app/conversations/general`);
    await page.getByLabel('Member').fill('ada');
    await page.getByLabel('Code').fill(codeAt(totpSecret, Date.now()));
    await page.getByLabel(/^Message #?general/).waitFor();
    const cookies = await page.context().cookies(origin);
    expect(cookies.find(({ name }) => name === 'svc_session')).toMatchObject({
      secure: true,
      httpOnly: true,
      sameSite: 'Strict',
    });
  });

  it('shows a message live and sends one', async () => {
    await push('through the proxy');
    await log().getByText('through the proxy').waitFor();
    await page.getByLabel(/^Message #?general/).fill('back through it');
    await page.keyboard.press('Enter');
    await log().getByText('back through it').waitFor();
    const { messages } = await team.as('ben').call('history', { query: {} });
    expect(messages.map(({ body }) => body)).toContain('back through it');
  });

  it('uploads 100 MB', async () => {
    const large = join(team.folder, 'large.bin');
    await writeFile(large, Buffer.alloc(uploadedBytes));
    await page.goto(`${origin}/app/files`);
    const chooser = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Upload' }).click();
    await (await chooser).setFiles(large);
    await page
      .getByRole('list', { name: 'Files' })
      .getByRole('link', { name: /large\.bin/ })
      .waitFor();
    const stat = await team.as('ada').call('statFile', { query: { path: '/ada/large.bin' } });
    expect(stat.entry).toMatchObject({ size: uploadedBytes });
  });

  it('goes on by itself after a restart of the proxy', async () => {
    expect(errors.filter((error) => !error.includes('401'))).toEqual([]);
    await page.goto(`${origin}/app/conversations/general`);
    await log().getByText('through the proxy').waitFor();
    await proxy.restart();
    await push('after the restart');
    await log().getByText('after the restart').waitFor();
  });

  it('is refused to a page of another site, also one that claims to be forwarded', async () => {
    const from = (headers: Record<string, string>) => team.fetch('ada', '/roster', { headers });
    const forwarded = { 'x-forwarded-proto': 'https', 'x-forwarded-host': publicName };
    expect((await from({ ...forwarded, origin: `https://${publicName}` })).status).toBe(200);
    expect((await from({ ...forwarded, origin: 'https://evil.example' })).status).toBe(403);
    expect((await from({ ...forwarded, origin: `http://${publicName}` })).status).toBe(403);
    expect((await from({ ...forwarded, 'x-forwarded-host': 'evil.example' })).status).toBe(403);
  });
});
