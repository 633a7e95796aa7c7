/** Own messages are edited and deleted, and everybody who has the conversation open sees it. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';

let shared: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);
beforeAll(async () => {
  shared = await startConsole({ members: { ada: ['admin'], ben: [] } });
});
afterAll(() => shared?.stop());

const path = '/app/conversations/general';
const say = async (from: string, body: string) =>
  (await shared.team.as(from).call('push', { body: { body } })).message.id;
const row = (page: Page, id: string) => page.locator(`[data-message="${id}"]`);

it('edits and deletes a message by keyboard, and shows both to others at once', async () => {
  const id = await say('ada', 'The tide turns at six');
  const other = await say('ben', 'Good');
  const { page, context, errors } = await shared.open('ada', { path, permissions: ['clipboard-write'] });
  const reader = await shared.open('ben', { path });
  await reader.page.getByText('The tide turns at six', { exact: true }).waitFor();

  await row(page, id).focus();
  await page.keyboard.press('e');
  const editor = page.getByRole('dialog', { name: 'Edit the message' }).getByRole('textbox');
  await expect.poll(() => editor.evaluate((one) => one.matches(':focus'))).toBe(true);
  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.type('The tide turns at seven');
  await page.keyboard.press('ControlOrMeta+Enter');
  for (const one of [page, reader.page]) {
    await row(one, id).getByText('The tide turns at seven', { exact: true }).waitFor();
    await row(one, id).getByText('Edited', { exact: false }).waitFor();
    await one.getByText('ada edited a message', { exact: false }).waitFor();
    expect(await one.getByText('The tide turns at six').count()).toBe(0);
  }
  await expect
    .poll(() => page.evaluate(`document.activeElement?.closest('[data-message]')?.dataset.message`))
    .toBe(id);

  await reader.page.getByRole('link', { name: 'Go to the message' }).click();
  await row(reader.page, id).and(reader.page.locator('[aria-current=true]')).waitFor();

  await page.keyboard.press('d');
  await page.getByRole('alertdialog').getByText('cannot be undone', { exact: false }).waitFor();
  await page.getByRole('button', { name: 'Delete', exact: true }).last().click();
  for (const one of [page, reader.page]) {
    await row(one, id).getByText('This message was deleted.').waitFor();
    await one.getByText('ada deleted a message', { exact: false }).waitFor();
  }
  await page.reload();
  await row(page, id).getByText('This message was deleted.').waitFor();

  // Nothing is offered for the messages of others, and for a deleted one.
  for (const changed of [id, other]) {
    await row(page, changed).hover();
    await row(page, changed).getByRole('button', { name: 'Copy link' }).waitFor();
    expect(await row(page, changed).getByRole('button', { name: 'Edit' }).count()).toBe(0);
    expect(await row(page, changed).getByRole('button', { name: 'Delete' }).count()).toBe(0);
  }
  await row(page, id).focus();
  for (const key of ['r', 'q', 'o', 'e', 'd', 'l']) await page.keyboard.press(key);
  await page.getByText('The link was copied').waitFor();
  expect(await page.getByText('Answering ada').count()).toBe(0);
  expect(await page.getByLabel(/^Message #?general/).inputValue()).toBe('');
  for (const name of ['Edit the message', 'New objective'])
    expect(await page.getByRole('dialog', { name }).count()).toBe(0);
  expect(await page.getByRole('alertdialog').count()).toBe(0);
  expect(errors).toEqual([]);
  await context.close();
  await reader.context.close();
});

it('says why the broker refuses, and keeps what was typed', async () => {
  const id = await say('ada', 'Kept as evidence');
  const { page, context } = await shared.open('ada', { path });
  await row(page, id).getByText('Kept as evidence').waitFor();
  await shared.team
    .as('ada')
    .call('updateRetention', { body: { hold: { on: 'general', reason: 'a court asks' } } });
  await row(page, id).focus();
  await page.keyboard.press('e');
  await page.getByRole('textbox', { name: 'Text' }).fill('Something else');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('dialog').getByText('a legal hold keeps it', { exact: false }).waitFor();
  expect(await page.getByRole('textbox', { name: 'Text' }).inputValue()).toBe('Something else');
  await context.close();
});
