/** While the broker is away: screens open, or say that they cannot, and heal when it is back. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';

let shared: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);
beforeAll(async () => {
  shared = await startConsole({ members: { ada: ['admin'], ben: [] }, onDisk: true });
});
afterAll(() => shared?.stop());

const banner = (page: Page) => page.getByText('The broker cannot be reached. This page', { exact: false });
async function goToAudit(page: Page): Promise<void> {
  await page.keyboard.press('g');
  await page.keyboard.press('l');
}
const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 });

describe('without the broker', () => {
  it('a screen that was never opened opens, because its code was loaded ahead', async () => {
    const { page, context } = await shared.open('ada');
    await heading(page, 'Inbox').waitFor();
    await expect
      .poll(() =>
        page.evaluate(
          `performance.getEntriesByType('resource').some(({ name }) => /audit\\.screen/.test(name))`,
        ),
      )
      .toBe(true);
    await shared.team.restart(async () => {
      await banner(page).waitFor();
      await goToAudit(page);
      await heading(page, 'Audit').waitFor();
      expect(await banner(page).isVisible()).toBe(true);
    });
    await banner(page).waitFor({ state: 'detached' });
    await page.getByRole('button', { name: /^The audit log began/ }).waitFor();
    await context.close();
  });

  it('opens what is loaded only within a screen, such as an item of the inbox, and the table of agents', async () => {
    await shared.team.as('ben').call('push', { body: { body: 'Where is the ladder, @ada?' } });
    const { page, context } = await shared.open('ada', { path: '/app/admin/audit' });
    await heading(page, 'Audit').waitFor();
    // The last code that is loaded ahead.
    await expect
      .poll(() =>
        page.evaluate(
          `performance.getEntriesByType('resource').some(({ name }) => /highlight-worker/.test(name))`,
        ),
      )
      .toBe(true);
    await page.keyboard.press('g');
    await page.keyboard.press('h');
    const item = page.getByRole('link', { name: /Where is the ladder/ });
    await item.waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('l');
    await heading(page, 'Audit').waitFor();
    await shared.team.restart(async () => {
      await banner(page).waitFor();
      await page.keyboard.press('g');
      await page.keyboard.press('h');
      await item.click();
      await page.getByRole('region', { name: 'Opened item' }).waitFor();
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Agents' }).click();
      await heading(page, 'Agents').waitFor();
    });
    await context.close();
  });

  it('a message that could not be sent says so until the broker is back, or the text changes', async () => {
    const { page, context } = await shared.open('ada', { path: '/app/conversations/general' });
    const text = page.getByLabel(/^Message #?general/);
    const problem = page.getByRole('alert').getByText('The broker cannot be reached.', { exact: false });
    await text.fill('Is anybody there?');
    await shared.team.restart(async () => {
      await banner(page).waitFor();
      await text.press('Enter');
      await problem.waitFor();
      await text.press('!');
      await problem.waitFor({ state: 'detached' });
      await text.press('Enter');
      await problem.waitFor();
    });
    await banner(page).waitFor({ state: 'detached' });
    await problem.waitFor({ state: 'detached' });
    await text.press('Enter');
    await page.getByRole('log').getByText('Is anybody there?!').waitFor();
    await context.close();
  });

  it('code has its colors, because the highlighter was loaded ahead', async () => {
    const ada = shared.team.as('ada');
    const say = (body: string) => ada.call('push', { body: { to: 'ben', body } });
    for (let n = 1; n <= 40; n++) await say(`Line ${n}\n\nand more`);
    await say('```ts\nconst answer = 42;\n```');
    for (let n = 41; n <= 80; n++) await say(`Line ${n}\n\nand more`);
    const { page, context } = await shared.open('ada', { path: '/app/conversations/dm:ben' });
    const log = page.getByRole('log', { name: 'Messages' });
    await log.getByText('Line 80').waitFor();
    // Nothing has asked for it yet: the code is far from the screen.
    expect(await log.getByRole('group', { name: 'Code (ts)' }).count()).toBe(0);
    await expect
      .poll(() =>
        page.evaluate(
          `performance.getEntriesByType('resource').some(({ name }) => /highlight-worker/.test(name))`,
        ),
      )
      .toBe(true);
    await shared.team.restart(async () => {
      await banner(page).waitFor();
      await log.hover();
      await expect
        .poll(async () => {
          await page.mouse.wheel(0, -200);
          return log.getByRole('group', { name: 'Code (ts)' }).locator('[data-token]').allTextContents();
        })
        .toContain('const');
      expect(await banner(page).isVisible()).toBe(true);
    });
    await context.close();
  });

  it('a page that is opened says that the broker cannot be used, and goes on by itself', async () => {
    const { page, context } = await shared.open('ada');
    await page.route('**/session', (route) =>
      route.fulfill({
        status: 503,
        contentType: 'application/json',
        // As the broker answers while it shuts down.
        body: JSON.stringify({
          error: 'unavailable',
          message: 'the store is closed',
          reason: 'store_closed',
        }),
      }),
    );
    await page.reload();
    await page.getByRole('alert').getByText('the store is closed', { exact: false }).waitFor();
    expect(await page.getByText('This broker is not set up yet').count()).toBe(0);
    await page.unroute('**/session');
    await heading(page, 'Inbox').waitFor();
    await context.close();
  });

  it('a screen whose code could not be loaded says so inside the frame, and opens by itself afterwards', async () => {
    const { page, context } = await shared.open('ada');
    await page.route(/\/(admin|audit|people)\.screen/, (route) => route.abort());
    await page.reload();
    await heading(page, 'Inbox').waitFor();
    await shared.team.restart(async () => {
      await banner(page).waitFor();
      await goToAudit(page);
      await page.getByRole('alert').getByText('This screen could not be loaded', { exact: false }).waitFor();
      expect(await banner(page).isVisible()).toBe(true);
      expect(await page.getByRole('navigation', { name: 'Main' }).isVisible()).toBe(true);
      await page.unroute(/\/(admin|audit|people)\.screen/);
    });
    await heading(page, 'Audit').waitFor();
    await page.getByRole('button', { name: /^The audit log began/ }).waitFor();
    await context.close();
  });
});
