/**
 * Writing a message: the console sends exactly what the screen shows, to the conversation in which it was
 * written.
 */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';
import { watchFor } from './testing/passing-words.ts';

let shared: ConsoleTeam;
let idByTitle: Map<string, string>;
showPagesOfFailures(() => shared?.browser);
beforeAll(async () => {
  shared = await startConsole({ members: { ada: ['admin'], ben: [] } });
  idByTitle = new Map();
  for (const title of ['Draw the coast', 'Weigh the anchor']) {
    const body = { title, outcome: 'It is done', assignee: 'ben', body: '', watchers: [] };
    const { id } = await shared.team.as('ada').call('createObjective', { body });
    idByTitle.set(title, id);
  }
});
afterAll(() => shared?.stop());

const log = (page: Page) => page.getByRole('log', { name: 'Messages' });
const text = (page: Page) => page.getByLabel(/^Message #?general/);
const send = (page: Page) => page.getByRole('button', { name: 'Send' });

async function openGeneral() {
  const opened = await shared.open('ada', { path: '/app/conversations/general' });
  await text(opened.page).waitFor();
  return opened;
}
async function attach(page: Page, name: string): Promise<void> {
  const choosing = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: 'Attach files' }).click();
  await (await choosing).setFiles({ name, mimeType: 'text/plain', buffer: Buffer.from(name) });
}
const sent = async (body: string) => {
  const { messages } = await shared.team.as('ben').call('history', { query: {} });
  return messages.find((message) => message.body === body);
};

it('sends the file with a message that is sent the moment its upload ends', async () => {
  const { page, context, errors } = await openGeneral();
  await text(page).fill('The chart');
  // A script in the page clicks as soon as the browser has drawn the button as enabled, before anything else
  // can run.
  await page.evaluate(`{
    const button = document.querySelector('button[aria-label=Send]');
    new MutationObserver((_changes, self) => {
      if (button.disabled) return;
      self.disconnect();
      button.click();
    }).observe(button, { attributes: true });
  }`);
  await attach(page, 'chart.txt');
  await log(page).getByRole('link', { name: 'chart.txt' }).waitFor();
  expect((await sent('The chart'))?.attachments).toEqual(['/ada/attachments/chart.txt']);
  expect(errors).toEqual([]);
  await context.close();
});

it('sends files without a text, whose names are the text, and once if the answer to the first try is lost', async () => {
  const { page, context } = await openGeneral();
  let tries = 0;
  await page.route('**/push', async (route) => {
    const response = await route.fetch();
    return tries++ === 0 ? route.abort() : route.fulfill({ response });
  });
  await attach(page, 'tide.txt');
  await attach(page, 'wind.txt');
  await send(page).and(page.locator(':enabled')).click();
  await page.getByRole('alert').getByText('cannot be reached', { exact: false }).waitFor();
  await send(page).click();
  await page.getByRole('button', { name: 'Remove wind.txt' }).waitFor({ state: 'detached' });
  const { messages } = await shared.team.as('ben').call('history', { query: {} });
  expect(messages.filter(({ body }) => body === 'tide.txt, wind.txt')).toMatchObject([
    { attachments: ['/ada/attachments/tide.txt', '/ada/attachments/wind.txt'] },
  ]);
  await context.close();
});

it('sends nothing by the Enter that ends a composition, which Safari reports after its end', async () => {
  const { page, context, errors } = await openGeneral();
  await text(page).fill('かな');
  await text(page).dispatchEvent('keydown', { key: 'Enter', keyCode: 229 });
  expect(await text(page).inputValue()).toBe('かな');
  await text(page).press('!');
  await text(page).press('Enter');
  await log(page).getByText('かな!', { exact: true }).waitFor();
  expect(await sent('かな')).toBe(undefined);
  expect(errors).toEqual([]);
  await context.close();
});

it.each([
  { place: 'the text field of an opened item', path: '/app', field: 'Message ben', shown: 'Opened item' },
  {
    place: 'the filter beside a member',
    path: '/app/admin/people?member=ben',
    field: 'Filter members',
    shown: 'Member ben',
  },
])('closes nothing by the Escape that ends a composition in $place', async ({ path, field, shown }) => {
  await shared.team.as('ben').call('push', { body: { to: 'ada', body: 'かな' } });
  const { page, context, errors } = await shared.open('ada', { path });
  if (path === '/app') await page.getByRole('link', { name: /direct message.* from ben/ }).click();
  await page.getByLabel(field, { exact: true }).focus();
  const pressEscape = (keyCode: number) =>
    page.getByLabel(field, { exact: true }).dispatchEvent('keydown', { key: 'Escape', keyCode });
  const item = page.getByRole('region', { name: shown, exact: true });
  await item.waitFor();
  await pressEscape(229);
  await page.getByLabel(field, { exact: true }).fill('b');
  expect(await item.count()).toBe(1);
  await pressEscape(27);
  await item.waitFor({ state: 'detached' });
  expect(errors).toEqual([]);
  await context.close();
});

it('keeps what is typed while a message is being sent for the next message', async () => {
  const { page, context, errors } = await openGeneral();
  let letGo = () => {};
  const isHeld = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  await page.route('**/push', async (route) => {
    await isHeld;
    await route.continue();
  });
  const asked = page.waitForRequest('**/push');
  await text(page).fill('First');
  await page.keyboard.press('Enter');
  await asked;
  await page.keyboard.type(' and second');
  letGo();
  await log(page).getByText('First', { exact: true }).waitFor();
  await expect.poll(() => text(page).inputValue()).toBe(' and second');
  await page.keyboard.press('Enter');
  await log(page).getByText('and second', { exact: true }).waitFor();
  await expect.poll(() => text(page).inputValue()).toBe('');
  expect(errors).toEqual([]);
  await context.close();
});

it('does not send a message with a failed file, and sends it after the file is removed by hand', async () => {
  const { page, context } = await openGeneral();
  await page.route('**/fs/write**', (route) => route.abort());
  await text(page).fill('With the log');
  await attach(page, 'log.txt');
  await page.getByRole('alert').getByText('A file could not be uploaded.', { exact: false }).waitFor();
  expect(await send(page).isDisabled()).toBe(true);
  await text(page).press('Enter');
  await page.getByRole('button', { name: 'Remove log.txt' }).click();
  expect(await sent('With the log')).toBe(undefined);
  await text(page).press('Enter');
  await log(page).getByText('With the log').waitFor();
  expect((await sent('With the log'))?.attachments).toEqual([]);
  await context.close();
});

it('keeps what was typed for one objective when another is opened over it', async () => {
  const [first = '', second = ''] = [...idByTitle.values()];
  const { page, context, errors } = await shared.open('ada', { path: `/app/objectives/${first}` });
  const thread = page.getByLabel('Message the thread');
  const heading = (name: string) => page.getByRole('heading', { name, level: 1 });
  await thread.fill('Only for the coast');
  const goTo = async (title: string) => {
    await page.keyboard.press('ControlOrMeta+k');
    await page.getByRole('dialog').getByRole('textbox').or(page.getByRole('combobox')).first().fill(title);
    await page.getByRole('option', { name: title, selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await heading(title).waitFor();
  };
  await goTo('Weigh the anchor');
  expect(page.url()).toContain(second);
  expect(await thread.inputValue()).toBe('');
  await goTo('Draw the coast');
  expect(await thread.inputValue()).toBe('Only for the coast');
  expect(errors).toEqual([]);
  await context.close();
});

it('keeps an attached file when the member returns to the conversation', async () => {
  const { page, context, errors } = await openGeneral();
  await text(page).fill('With the map');
  await attach(page, 'map.txt');
  await page.getByRole('link', { name: /^ben/ }).click();
  await page.getByLabel('Message ben').waitFor();
  expect(await page.getByText('map.txt').count()).toBe(0);
  await page.getByRole('link', { name: /^general/ }).click();
  await page.getByRole('button', { name: 'Remove map.txt' }).waitFor();
  await send(page).click();
  await log(page).getByRole('link', { name: 'map.txt' }).waitFor();
  expect((await sent('With the map'))?.attachments).toEqual(['/ada/attachments/map.txt']);
  await page.getByRole('button', { name: 'Remove map.txt' }).waitFor({ state: 'detached' });
  expect(errors).toEqual([]);
  await context.close();
});

it('reports a message that failed, also after the member has gone to another conversation', async () => {
  const { page, context } = await openGeneral();
  let refuse = () => {};
  const isRefused = new Promise<void>((resolve) => {
    refuse = resolve;
  });
  await page.route('**/push', async (route) => {
    await isRefused;
    await route.abort();
  });
  const asked = page.waitForRequest('**/push');
  await text(page).fill('Does it arrive?');
  await page.keyboard.press('Enter');
  await asked;
  await page.getByRole('link', { name: /^ben/ }).click();
  await page.getByLabel('Message ben').waitFor();
  const said = await watchFor(page, 'Your message to #general was not sent');
  refuse();
  await said();
  await page.getByRole('link', { name: /^general/ }).click();
  await expect.poll(() => text(page).inputValue()).toBe('Does it arrive?');
  await text(page).fill('');
  await context.close();
});
