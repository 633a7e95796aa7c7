/** The console over plain HTTP from another machine, where browsers offer fewer functions to a page. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { codeAt } from '../../broker/testing/test-authenticator.ts';
import { startTestBroker, type TestBroker } from '../../broker/testing/test-broker.ts';
import { builtConsole } from './testing/built-console.ts';
import { launchChromium } from './testing/chromium.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';

const publicName = 'team.test';

let team: TestBroker;
let browser: Browser;
let page: Page;
showPagesOfFailures(() => browser);
beforeAll(async () => {
  team = await startTestBroker({
    members: { ada: ['admin'], ben: [] },
    config: { listen: { hosts: [publicName] }, files: { root: 'files' } },
    consoleFolder: await builtConsole(),
  });
  browser = await launchChromium(`--host-resolver-rules=MAP ${publicName} 127.0.0.1`);
  page = await (await browser.newContext()).newPage();
  const url = team.url.replace('127.0.0.1', publicName);
  const { totpSecret } = await team.as('ada').call('enrollTotp', { params: { name: 'ada' } });
  await page.goto(`${url}/app/conversations/general`);
  await page.getByLabel('Member').fill('ada');
  await page.getByLabel('Code').fill(codeAt(totpSecret, Date.now()));
  await page.getByLabel(/^Message #?general/).waitFor();
});
afterAll(async () => {
  await browser?.close();
  await team?.stop();
});

const bodies = async () => (await team.as('ben').call('history', {})).messages.map(({ body }) => body);

it('sends what is written, with its attachment, and is live', async () => {
  expect(await page.evaluate('isSecureContext')).toBe(false);
  const choosing = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Attach files' }).click();
  const buffer = Buffer.from('x');
  await (await choosing).setFiles({ name: 'chart.txt', mimeType: 'text/plain', buffer });
  await page.getByLabel(/^Message #?general/).fill('From another machine');
  await expect.poll(() => page.getByRole('button', { name: 'Send' }).isEnabled()).toBe(true);
  await page.keyboard.press('Enter');
  await expect.poll(bodies).toEqual(['From another machine']);
  await team.as('ben').call('push', { body: { body: 'Welcome' } });
  await page.getByRole('log', { name: 'Messages' }).getByText('Welcome').waitFor();
});

it('copies the link of a message', async () => {
  const message = page.getByRole('article').filter({ hasText: 'Welcome' });
  await message.hover();
  await message.getByRole('button', { name: 'Copy link' }).click();
  await page.getByText('The link was copied').waitFor();
  await page.getByLabel(/^Message #?general/).fill('');
  await page.keyboard.press('Control+V');
  expect(await page.getByLabel(/^Message #?general/).inputValue()).toMatch(/^http:\/\/team\.test:\d+\/app\//);
  await page.getByLabel(/^Message #?general/).fill('');
});

it('says that notifications need HTTPS', async () => {
  await page.goto(`${new URL(page.url()).origin}/app/me?part=notifications`);
  await page.getByText('They need HTTPS, or a browser on the broker’s machine.', { exact: false }).waitFor();
});
