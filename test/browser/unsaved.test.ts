/** Text that a person typed, and a secret that is shown once, are discarded only when the person says so. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';

let shared: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);
beforeAll(async () => {
  shared = await startConsole({ members: { ada: ['admin'], ben: [] } });
});
afterAll(() => shared?.stop());

const dialog = (page: Page, name: string | RegExp) => page.getByRole('dialog', { name });
const question = (page: Page) => page.getByRole('alertdialog', { name: 'Discard what you typed?' });

describe('a dialog in which something was typed', () => {
  it('asks before Escape closes it, and keeps the text', async () => {
    const { page, context } = await shared.open('ada', { path: '/app/objectives?create=true' });
    const form = dialog(page, 'New objective');
    await form.getByLabel('Title').fill('Draw the coast');
    await page.keyboard.press('Escape');
    await question(page).getByRole('button', { name: 'Keep editing' }).click();
    await question(page).waitFor({ state: 'detached' });
    expect(await form.getByLabel('Title').inputValue()).toBe('Draw the coast');
    await page.keyboard.press('Escape');
    await question(page).getByRole('button', { name: 'Discard' }).click();
    await form.waitFor({ state: 'detached' });
    await context.close();
  });

  it('asks before the browser goes back', async () => {
    const { page, context } = await shared.open('ada', { path: '/app/admin/people' });
    await page.getByRole('link', { name: 'Objectives' }).click();
    await page.getByRole('button', { name: 'New objective' }).click();
    const form = dialog(page, 'New objective');
    await form.getByLabel('Title').fill('Draw the coast');
    await page.goBack();
    await question(page).getByRole('button', { name: 'Keep editing' }).click();
    expect(await form.getByLabel('Title').inputValue()).toBe('Draw the coast');
    await context.close();
  });

  it('closes at once if the text was taken back', async () => {
    const { page, context } = await shared.open('ada', { path: '/app/objectives?create=true' });
    const form = dialog(page, 'New objective');
    await form.getByLabel('Title').fill('Draw the coast');
    await form.getByLabel('Title').fill('');
    await page.keyboard.press('Escape');
    await form.waitFor({ state: 'detached' });
    await context.close();
  });
});

describe('a secret that is shown once', () => {
  it('stays when Escape is pressed, for a token and for an authenticator', async () => {
    const { page, context } = await shared.open('ada', { path: '/app/admin/people?member=ben' });
    await page.getByRole('button', { name: 'Replace all tokens…' }).click();
    await page
      .getByRole('alertdialog')
      .getByRole('button', { name: /^Replace all/ })
      .click();
    const token = dialog(page, 'Token of ben');
    await token.waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await token.getByRole('button', { name: 'I have copied the token' }).click();
    await token.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: /authenticator/i }).click();
    const authenticator = dialog(page, 'Authenticator of ben');
    await authenticator.getByRole('button', { name: 'Create a new secret' }).click();
    await authenticator.getByLabel('Secret').waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    await authenticator.getByLabel('Current code').fill('12');
    await authenticator.getByRole('button', { name: 'Close' }).click();
    await authenticator.waitFor({ state: 'detached' });
    await context.close();
  });
});

describe('a form with changes that are not saved', () => {
  it.each([
    { where: 'of a member', path: '/app/admin/people?member=ben', field: 'Instructions' },
    { where: 'of the team', path: '/app/admin/team', field: 'Brief' },
  ])('$where asks before another screen is opened', async ({ path, field }) => {
    const { page, context } = await shared.open('ada', { path });
    await page.getByLabel(field, { exact: true }).fill('Look twice');
    await page.getByRole('link', { name: 'Inbox', exact: true }).click();
    await question(page).getByRole('button', { name: 'Keep editing' }).click();
    expect(await page.getByLabel(field, { exact: true }).inputValue()).toBe('Look twice');
    expect(page.url().endsWith(path)).toBe(true);
    await page.getByRole('link', { name: 'Inbox', exact: true }).click();
    await question(page).getByRole('button', { name: 'Discard' }).click();
    await page.getByRole('heading', { name: 'Inbox', level: 1 }).waitFor();
    await context.close();
  });

  it('makes the browser ask before the tab is closed, and only then', async () => {
    const { page, context } = await shared.open('ada', { path: '/app/admin/people?member=ben' });
    const isAsked = () =>
      page.evaluate(`!window.dispatchEvent(new Event('beforeunload', { cancelable: true }))`);
    const field = page.getByLabel('Instructions', { exact: true });
    await field.waitFor();
    expect(await isAsked()).toBe(false);
    await field.fill('Look twice');
    await expect.poll(isAsked).toBe(true);
    await context.close();
  });
});
