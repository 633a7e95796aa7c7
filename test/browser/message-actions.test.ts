/** The actions of a member on one message, by keyboard and by pointer. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { choose } from './testing/choose.ts';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';

let shared: ConsoleTeam;
let ids: string[] = [];
showPagesOfFailures(() => shared?.browser);
beforeAll(async () => {
  shared = await startConsole({ members: { ada: ['admin'], ben: [] } });
  for (const body of ['The first line', '# Mend the *sail*\n\nIt is torn.', 'The last line']) {
    const { message } = await shared.team.as('ben').call('push', { body: { to: null, body } });
    ids = [...ids, message.id];
  }
});
afterAll(() => shared?.stop());

const path = '/app/conversations/general';
const log = (page: Page) => page.getByRole('log', { name: 'Messages' });
const text = (page: Page) => page.getByLabel(/^Message #?general/);
const focused = (page: Page) => expect.poll(() => page.evaluate('document.activeElement.textContent'));
const row = (page: Page, words: string) => log(page).getByRole('article').filter({ hasText: words });

it('moves between messages and acts on one by single keys', async () => {
  const { page, context, errors } = await shared.open('ada', {
    path,
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  await log(page).getByText('The last line').waitFor();
  await log(page).focus();
  await page.keyboard.press('ArrowUp');
  await focused(page).toContain('The last line');
  await page.keyboard.press('ArrowUp');
  await focused(page).toContain('It is torn.');
  await page.keyboard.press('k');
  await focused(page).toContain('The first line');
  await page.keyboard.press('k');
  await focused(page).toContain('The first line');
  await page.keyboard.press('j');
  await focused(page).toContain('It is torn.');

  await page.keyboard.press('l');
  await page.getByText('The link was copied').waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(
    `${new URL(page.url()).origin}${path}?message=${ids[1]}`,
  );
  await page.keyboard.press('t');
  await page.getByText('The text was copied').waitFor();
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe('# Mend the *sail*\n\nIt is torn.');
  await page.keyboard.press('r');
  await page.getByText('Answering ben: # Mend the *sail*').waitFor();
  await expect.poll(() => text(page).evaluate((field) => field.matches(':focus'))).toBe(true);
  await page.keyboard.press('Escape');

  await row(page, 'It is torn.').focus();
  await page.keyboard.press('q');
  await expect
    .poll(() => text(page).inputValue())
    .toBe('> ben wrote:\n> # Mend the *sail*\n>\n> It is torn.\n\n');
  await expect.poll(() => text(page).evaluate((field) => field.matches(':focus'))).toBe(true);
  await text(page).fill('');

  await row(page, 'It is torn.').focus();
  await page.keyboard.press('o');
  const form = page.getByRole('dialog', { name: 'New objective' });
  await form.waitFor();
  expect(await form.getByLabel('Title').inputValue()).toBe('Mend the sail');
  expect(await form.getByLabel('Description').inputValue()).toContain('It is torn.');
  await page.keyboard.press('Escape');
  await form.waitFor({ state: 'detached' });
  await expect.poll(() => row(page, 'It is torn.').locator(':scope:focus, :focus').count()).toBe(1);

  await page.keyboard.press('u');
  await page.getByText('Marked as unread', { exact: true }).waitFor();
  const { scopes } = await shared.team.as('ada').call('unread', {});
  expect(scopes.find(({ scope }) => scope === 'general')).toMatchObject({ count: 2, lastReadId: ids[0] });
  expect(errors).toEqual([]);
  await context.close();
});

it('lists the keys of messages, and leaves the keys of the menu alone', async () => {
  const { page, context, errors } = await shared.open('ada', { path });
  await log(page).getByText('The last line').waitFor();
  await page.keyboard.press('?');
  const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  for (const title of ['Answer the message', 'Quote the message', 'Copy a link to the message'])
    await sheet.getByText(title, { exact: true }).waitFor();
  await page.keyboard.press('Escape');
  await sheet.waitFor({ state: 'detached' });
  await row(page, 'The last line').focus();
  await page.keyboard.press('g');
  await page.keyboard.press('o');
  await page.getByRole('heading', { name: 'Objectives', level: 1 }).waitFor();
  expect(errors).toEqual([]);
  await context.close();
});

it('makes an objective from a message that leads back to it', async () => {
  const { page, context, errors } = await shared.open('ada', { path });
  const message = row(page, 'It is torn.');
  await message.hover();
  await message.getByRole('button', { name: 'Make an objective' }).click();
  const form = page.getByRole('dialog', { name: 'New objective' });
  await form.getByLabel('Outcome').fill('It is whole');
  await choose(form, 'Assignee', 'ben');
  await form.getByRole('button', { name: 'Create objective' }).click();
  await page.getByRole('heading', { name: 'Mend the sail', level: 1 }).waitFor();
  const { objectives } = await shared.team.as('ada').call('objectives', { query: {} });
  expect(objectives[0]?.body).toContain(`/app/conversations/general?message=${ids[1]}`);
  await page.goBack();
  await log(page).getByText('The last line').waitFor();
  expect(errors).toEqual([]);
  await context.close();
});
