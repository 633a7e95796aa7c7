/** Two teams on one host: a browser sends the cookies of each port to the other one (ADR 0053). */
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { codeAt } from '../../broker/testing/test-authenticator.ts';
import { startTestBroker, type TestBroker } from '../../broker/testing/test-broker.ts';
import { builtConsole } from './testing/built-console.ts';
import { launchChromium } from './testing/chromium.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';

/** Chromium trusts loopback addresses, and lets them replace Secure cookies over HTTP. */
const publicName = 'team.test';

let teams: TestBroker[] = [];
let browser: Browser;
showPagesOfFailures(() => browser);
beforeAll(async () => {
  const consoleFolder = await builtConsole();
  const config = { listen: { hosts: [publicName] } };
  teams = await Promise.all(
    [0, 1].map(() => startTestBroker({ members: { ada: ['admin'], eve: ['admin'] }, config, consoleFolder })),
  );
  browser = await launchChromium(`--host-resolver-rules=MAP ${publicName} 127.0.0.1`);
});
afterAll(async () => {
  await browser?.close();
  for (const team of teams) await team.stop();
});

const whoami = (page: Page) => page.getByRole('link', { name: 'ada Me', exact: true });
const form = (page: Page) => page.getByRole('heading', { name: 'Log in to Muster' });

async function logInByForm(context: BrowserContext, team: TestBroker, origin = team.url): Promise<Page> {
  const { totpSecret } = await team.as('eve').call('enrollTotp', { params: { name: 'ada' } });
  const page = await context.newPage();
  await page.goto(`${origin}/app`);
  await page.getByLabel('Member').fill('ada');
  await page.getByLabel('Code').fill(codeAt(totpSecret, Date.now()));
  await whoami(page).waitFor();
  return page;
}

it('keeps somebody logged in to both of two brokers on one host, and a logout ends only one', async () => {
  const context = await browser.newContext();
  const pages: Page[] = [];
  for (const team of teams) pages.push(await logInByForm(context, team));
  for (let round = 0; round < 2; round++)
    for (const page of pages) {
      await page.reload();
      await whoami(page).waitFor();
    }
  const [first, second] = pages as [Page, Page];
  const cookies = await context.cookies();
  const suffixes = ['', ...teams.map(({ url }) => `_http_${new URL(url).port}`)];
  expect(cookies.map(({ name }) => name).sort()).toEqual(
    ['svc_session', 'svc_device'].flatMap((name) => suffixes.map((suffix) => name + suffix)).sort(),
  );
  const status = await first.evaluate(`(async () => {
    const secret = Object.values(localStorage).find((value) => /^[\\w-]{43}$/.test(value));
    const reply = await fetch('/session/logout', { method: 'POST', headers: { 'x-svc-session-secret': secret } });
    return reply.status;
  })()`);
  expect(status).toBe(204);
  for (const page of pages) await page.reload();
  await form(first).waitFor();
  await whoami(second).waitFor();
  await context.close();
});

it('logs in over HTTP if the host has a Secure cookie from HTTPS', async () => {
  const [team] = teams as [TestBroker];
  const context = await browser.newContext();
  const { port } = new URL(team.url);
  await context.addCookies([
    {
      name: 'svc_session',
      value: 'A'.repeat(43),
      domain: publicName,
      path: '/',
      secure: true,
      httpOnly: true,
      sameSite: 'Strict',
    },
  ]);
  const page = await logInByForm(context, team, `http://${publicName}:${port}`);
  await page.reload();
  await whoami(page).waitFor();
  const shared = (await context.cookies()).find(({ name }) => name === 'svc_session');
  expect(shared).toMatchObject({ value: 'A'.repeat(43), secure: true });
  await context.close();
});
