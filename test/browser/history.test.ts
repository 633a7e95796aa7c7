/** Back, Forward, and links: where they lead, and what is found there. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';

const objectives = 60;
let shared: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);
beforeAll(async () => {
  shared = await startConsole({ members: { ada: ['admin'], ben: [] } });
  for (let n = 1; n <= objectives; n++)
    await shared.team.as('ada').call('createObjective', {
      body: { title: `Sounding ${n}`, outcome: 'Done', assignee: 'ben', body: '', watchers: [] },
    });
});
afterAll(() => shared?.stop());

const list = (page: Page) => page.getByRole('list', { name: 'Objectives' });
const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 });
const pathOf = (page: Page): string => new URL(page.url()).pathname + new URL(page.url()).search;

describe('Back', () => {
  it('closes a dialog, and closing a dialog leaves nothing that Back could open again', async () => {
    const { page, context } = await shared.open('ada');
    await page.getByRole('link', { name: 'Objectives' }).click();
    await page.getByRole('button', { name: 'New objective' }).click();
    await page.getByRole('dialog', { name: 'New objective' }).waitFor();
    await page.goBack();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(pathOf(page)).toBe('/app/objectives');
    await page.getByRole('button', { name: 'New objective' }).click();
    await page.getByRole('dialog', { name: 'New objective' }).getByRole('button', { name: 'Close' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.goBack();
    await heading(page, 'Inbox').waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    await context.close();
  });

  it('leads from an objective that was opened in a preview to the list, without the preview', async () => {
    const { page, context } = await shared.open('ada', { path: '/app/objectives' });
    const row = list(page).getByRole('link', { name: /Sounding 60/ });
    await row.focus();
    await page.keyboard.press('Space');
    await page.getByRole('dialog', { name: 'Sounding 60' }).getByRole('link', { name: 'Open' }).click();
    await heading(page, 'Sounding 60').waitFor();
    await page.goBack();
    await heading(page, 'Objectives').waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(pathOf(page)).toBe('/app/objectives');
    await context.close();
  });

  it('leads to the place in a list from which a row was opened', async () => {
    const { page, context } = await shared.open('ada', { path: '/app/objectives' });
    const scroller = list(page).locator('..');
    await list(page)
      .getByRole('link', { name: /Sounding 60/ })
      .waitFor();
    await scroller.evaluate((element) => element.scrollTo(0, 1400));
    await list(page)
      .getByRole('link', { name: /Sounding 20/ })
      .click();
    await heading(page, 'Sounding 20').waitFor();
    await page.goBack();
    await list(page)
      .getByRole('link', { name: /Sounding 20/ })
      .waitFor();
    await expect.poll(() => scroller.evaluate((element) => element.scrollTop)).toBe(1400);
    await context.close();
  });
});

it('a row is a link that can be opened in another tab', async () => {
  const { page, context } = await shared.open('ada', { path: '/app/objectives' });
  const opened = context.waitForEvent('page');
  await list(page)
    .getByRole('link', { name: /Sounding 60/ })
    .click({ modifiers: ['Control'] });
  await heading(await opened, 'Sounding 60').waitFor();
  expect(pathOf(page)).toBe('/app/objectives');
  await context.close();
});

describe('on a phone', () => {
  it('Back closes the menu, and leads back only then', async () => {
    const { page, context, errors } = await shared.open('ada', { width: 390, height: 740 });
    const menu = page.getByRole('dialog', { name: 'Menu' });
    const openMenu = () => page.getByRole('button', { name: 'More', exact: true }).click();
    await openMenu();
    await menu.getByRole('link', { name: /Admin$/ }).click();
    await heading(page, 'Admin').waitFor();
    await openMenu();
    await menu.waitFor();
    await page.goBack();
    await menu.waitFor({ state: 'detached' });
    // The browser leaves the address before the router takes it back.
    await expect.poll(() => pathOf(page)).toBe('/app/admin');
    await heading(page, 'Admin').waitFor();
    await page.goBack();
    await heading(page, 'Inbox').waitFor();
    expect(errors).toEqual([]);
    await context.close();
  });
});

it('an address without a screen says so beside the menu, from which others open', async () => {
  const { page, context } = await shared.open('ada', { path: '/app/nowhere' });
  await heading(page, 'Page not found').waitFor();
  expect(await page.getByRole('main').count()).toBe(1);
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Files' }).click();
  await heading(page, 'Files').waitFor();
  await context.close();
});
