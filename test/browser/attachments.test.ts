/** Attachments open over the thread, and images show in it without moving it. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';
import { picture } from './testing/picture.ts';

let shared: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);

const files: [string, string, Uint8Array<ArrayBuffer>][] = [
  ['notes.txt', 'text/plain', Buffer.from('These are the notes.')],
  ['wide.png', 'image/png', picture(900, 90)],
  ['plan.md', 'text/markdown', Buffer.from('# The plan')],
  ['broken.png', 'image/png', Buffer.from('not a picture')],
];
beforeAll(async () => {
  shared = await startConsole({ members: { ada: ['admin'], ben: [] } });
  for (const [name, mime, body] of files) {
    const query = new URLSearchParams({ path: `/ben/${name}`, mime });
    const reply = await shared.team.fetch('ben', `/fs/write?${query}`, {
      method: 'POST',
      headers: { 'content-type': 'application/octet-stream' },
      body,
    });
    expect(reply.status).toBe(200);
  }
  const attachments = files.map(([name]) => `/ben/${name}`);
  await shared.team.as('ben').call('push', { body: { to: 'ada', body: 'Look at these', attachments } });
  await shared.team.as('ben').call('push', { body: { to: 'ada', body: 'The last line' } });
});
afterAll(() => shared?.stop());

const log = (page: Page) => page.getByRole('log', { name: 'Messages' });
const dialog = (page: Page, name: string) => page.getByRole('dialog', { name });

it('open in a viewer over the thread, lead to each other by arrow keys, and give the focus back', async () => {
  const { page, context, errors } = await shared.open('ada', { path: '/app/conversations/dm:ben' });
  const notes = log(page).getByRole('link', { name: 'notes.txt' });
  await notes.focus();
  await page.keyboard.press('Enter');
  await dialog(page, 'notes.txt').getByText('These are the notes.').waitFor();
  await dialog(page, 'notes.txt').getByText('1 of 4').waitFor();
  expect(decodeURIComponent(new URL(page.url()).pathname)).toBe('/app/conversations/dm:ben');
  await page.keyboard.press('ArrowRight');
  await dialog(page, 'wide.png').getByRole('img', { name: 'wide.png' }).waitFor();
  await page.keyboard.press('ArrowRight');
  await dialog(page, 'plan.md').getByText('The plan').waitFor();
  await page.keyboard.press('ArrowLeft');
  await dialog(page, 'wide.png').getByText('2 of 4').waitFor();
  await dialog(page, 'wide.png').getByRole('button', { name: 'Previous attachment' }).click();
  await dialog(page, 'notes.txt').getByText('1 of 4').waitFor();
  await page.keyboard.press('Escape');
  await dialog(page, 'notes.txt').waitFor({ state: 'detached' });
  await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('notes.txt');
  expect(errors).toEqual([]);
  await context.close();
});

it('are closed by Back, which stays in the conversation', async () => {
  const { page, context, errors } = await shared.open('ada', { path: '/app/conversations/general' });
  await page.getByRole('navigation', { name: 'Conversations' }).getByRole('link', { name: /^ben/ }).click();
  await log(page).getByRole('link', { name: 'plan.md' }).click();
  await dialog(page, 'plan.md').getByText('The plan').waitFor();
  await page.keyboard.press('ArrowLeft');
  await dialog(page, 'wide.png').waitFor();
  await page.goBack();
  await dialog(page, 'wide.png').waitFor({ state: 'detached' });
  expect(decodeURIComponent(new URL(page.url()).pathname)).toBe('/app/conversations/dm:ben');
  expect(await log(page).getByText('The last line').isVisible()).toBe(true);
  expect(errors).toEqual([]);
  await context.close();
});

it('show images in place, in a size that is reserved before they are loaded', async () => {
  const { page, context, errors } = await shared.open('ada', {
    path: '/app/conversations/general',
    width: 390,
  });
  let letGo = () => {};
  const isLetGo = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await context.route('**/fs/**', async (route) => {
    await isLetGo;
    await route.continue();
  });
  await page.goto('/app/conversations/dm:ben');
  const last = log(page).getByText('The last line');
  await last.waitFor();
  const place = log(page).getByRole('link', { name: 'wide.png' });
  const before = { last: await last.boundingBox(), place: await place.boundingBox() };
  letGo();
  const image = place.locator('img');
  await image.waitFor();
  await log(page).getByText('No preview').waitFor();
  expect({ last: await last.boundingBox(), place: await place.boundingBox() }).toEqual(before);
  const box = await image.boundingBox();
  expect(box?.width).toBeLessThanOrEqual(before.place?.width ?? 0);
  expect(before.place?.width).toBeLessThan(300);
  expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
  expect(errors).toEqual([]);
  await context.close();
});
