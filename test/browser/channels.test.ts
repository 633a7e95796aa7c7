/** Channels are browsed, created, and joined from the list of conversations. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';

let shared: ConsoleTeam;
let deck: string;
showPagesOfFailures(() => shared?.browser);
beforeAll(async () => {
  shared = await startConsole({ members: { ada: ['admin'], ben: [] } });
  const { id } = await shared.team.as('ben').call('createChannel', { body: { slug: 'deck' } });
  deck = id;
});
afterAll(() => shared?.stop());

const list = (page: Page) => page.getByRole('navigation', { name: 'Conversations' });
const dialog = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true });
const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1, exact: true });

it('joins and opens a channel, and leads back to the conversation', async () => {
  const { page, context, errors } = await shared.open('ada', {
    path: '/app/conversations/dm:ben',
    width: 1024,
  });
  await list(page).getByRole('button', { name: 'Browse channels' }).click();
  const browser = dialog(page, 'Channels');
  await browser.getByLabel('Filter channels').fill('dec');
  const row = browser.getByRole('listitem').filter({ hasText: 'deck' });
  await row.waitFor();
  await expect.poll(() => browser.getByRole('listitem').count()).toBe(1);
  await row.getByRole('button', { name: 'Join' }).click();
  await row.getByRole('link', { name: 'Open' }).click();
  await heading(page, '#deck').waitFor();
  await browser.waitFor({ state: 'detached' });
  await list(page).getByRole('link', { name: 'deck' }).waitFor();
  await page.goBack();
  await dialog(page, 'Channels').waitFor();
  await page.keyboard.press('Escape');
  await dialog(page, 'Channels').waitFor({ state: 'detached' });
  await heading(page, 'ben').waitFor();
  expect(errors).toEqual([]);
  await context.close();
});

it('creates a channel and opens it, and shows its settings', async () => {
  const { page, context, errors } = await shared.open('ada', {
    path: '/app/conversations/dm:ben',
    width: 390,
  });
  await page.getByRole('button', { name: 'All conversations' }).click();
  await list(page).getByRole('button', { name: 'New channel' }).click();
  await dialog(page, 'New channel').getByLabel('Name', { exact: true }).fill('rigging');
  await page.getByRole('button', { name: 'Create channel' }).click();
  await heading(page, '#rigging').waitFor();
  await dialog(page, 'New channel').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Options of this conversation' }).click();
  await page.getByRole('menuitem', { name: 'Channel settings' }).click();
  await dialog(page, '#rigging').getByRole('button', { name: 'Archive #rigging' }).waitFor();
  await page.goBack();
  await dialog(page, '#rigging').waitFor({ state: 'detached' });
  await heading(page, '#rigging').waitFor();
  expect(errors).toEqual([]);
  await context.close();
});

it('opens old addresses of channels, and `g n`', async () => {
  const { page, context, errors } = await shared.open('ada', { path: '/app/channels?q=deck' });
  await expect.poll(() => dialog(page, 'Channels').getByLabel('Filter channels').inputValue()).toBe('deck');
  await page.keyboard.press('Escape');
  await dialog(page, 'Channels').waitFor({ state: 'detached' });
  await heading(page, '#general').waitFor();
  await page.goto(`/app/channels?channel=${deck}`);
  await dialog(page, '#deck').getByText('Created by ben.').waitFor();
  await page.goto('/app/channels?create=true');
  await dialog(page, 'New channel').waitFor();
  await page.goto('/app/admin/people');
  await heading(page, 'People').waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('n');
  await dialog(page, 'Channels').waitFor();
  expect(errors).toEqual([]);
  await context.close();
});

it('creates a private channel, shows a lock, drops it for a removed member, and asks before it becomes public', async () => {
  const { page, context, errors } = await shared.open('ada', {
    path: '/app/conversations/dm:ben',
    width: 1024,
  });
  const label = 'Private: only invited members see it';
  await list(page).getByRole('button', { name: 'New channel' }).click();
  await dialog(page, 'New channel').getByLabel('Name', { exact: true }).fill('vault');
  await dialog(page, 'New channel').getByLabel(label).check();
  await page.getByRole('button', { name: 'Create channel' }).click();
  await heading(page, '#vault').waitFor();
  await list(page).getByRole('link', { name: 'vault private' }).waitFor();
  const ada = shared.team.as('ada');
  await ada.call('joinChannel', { params: { slug: 'vault' }, body: { member: 'ben' } });
  const { channels } = await ada.call('channels', {});
  const id = channels.find(({ slug }) => slug === 'vault')?.id;
  await ada.call('push', { body: { body: 'inside', data: { thread: `chan:${id}` } } });
  const bens = await shared.open('ben', { path: `/app/conversations/chan:${id}`, width: 1024 });
  await bens.page.getByText('inside', { exact: true }).waitFor();
  await ada.call('leaveChannel', { params: { slug: 'vault', name: 'ben' } });
  await bens.page.getByText('You cannot read this').waitFor();
  await list(bens.page).getByRole('link', { name: 'vault' }).waitFor({ state: 'detached' });
  expect(await bens.page.getByText('inside', { exact: true }).count()).toBe(0);
  await bens.context.close();

  await page.getByRole('button', { name: 'Options of this conversation' }).click();
  await page.getByRole('menuitem', { name: 'Channel settings' }).click();
  const settings = dialog(page, '#vault');
  await settings.getByLabel(label).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Make public' }).click();
  await page.getByRole('alertdialog').waitFor({ state: 'detached' });
  await expect.poll(() => settings.getByLabel(label).isChecked()).toBe(false);
  await settings.getByLabel(label).click();
  await expect.poll(() => settings.getByLabel(label).isChecked()).toBe(true);
  expect(errors).toEqual([]);
  await context.close();
});
