/** The facts about the certificate that a teammate's browser gets before any login (specification/api.md#pages). */
import { readFile } from 'node:fs/promises';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { complaintsOf } from './testing/chromium.ts';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';

let shared: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);
let page: Page;
let errors: string[];
let url = '';
beforeAll(async () => {
  shared = await startConsole({ config: { listen: { httpsHost: '127.0.0.1', httpsPort: 0 } } });
  ({ url } = await shared.team.broker.secureListener.start());
  const context = await shared.browser.newContext({ ignoreHTTPSErrors: true, reducedMotion: 'reduce' });
  page = await context.newPage();
  errors = complaintsOf(page, url);
});
afterAll(() => shared?.stop());

it('explains past the warning how to trust the certificate, and offers the authority', async () => {
  await page.goto(url);
  await page.getByRole('link', { name: 'Trust this broker’s certificate' }).click();
  await page.getByRole('heading', { name: 'Trust this broker’s certificate' }).waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Download the authority’s certificate (muster-ca.crt)' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('muster-ca.crt');
  expect(await readFile(await download.path(), 'utf8')).toContain('BEGIN CERTIFICATE');
  for (const system of ['Windows', 'macOS', 'iPhone, iPad', 'Android', 'Linux', 'Firefox on any system'])
    await page.getByText(system, { exact: true }).waitFor();
});

it('shows no violation that axe finds', async () => {
  await page.evaluate(axe.source);
  const { violations } = (await page.evaluate('axe.run(document, { preload: false })')) as {
    violations: { id: string; nodes: { html: string }[] }[];
  };
  expect(violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
  // The login asks who is logged in, and nobody is.
  expect(errors.filter((one) => !one.includes('/session'))).toEqual([]);
});

it('says that There is nothing to trust while LAN access is off', async () => {
  await shared.team.broker.secureListener.stop();
  await page.goto(`${shared.team.url}/app/trust`);
  await page.getByText('There is nothing to trust').waitFor();
});
