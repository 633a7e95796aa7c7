/** Several objectives at once: selected by keyboard and pointer, and changed as far as the member may. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { choose } from './testing/choose.ts';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';
import { focused as focusIn } from './testing/focused.ts';
import { watchFor } from './testing/passing-words.ts';

let shared: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);
beforeAll(async () => {
  shared = await startConsole({
    members: { ada: ['admin'], ben: [], kim: [], eve: ['objectives.create'] },
  });
});
afterAll(() => shared?.stop());

const as = (name: string) => shared.team.as(name);
const ask = async (originator: string, assignee: string, title: string) => {
  const { id } = await as(originator).call('createObjective', {
    body: { title, outcome: 'It is drawn', assignee, body: '' },
  });
  return id;
};
const complete = (assignee: string, id: string) =>
  as(assignee).call('completeObjective', { params: { id }, body: { result: 'drawn' } });
const statusOf = async (id: string) =>
  (await as('ada').call('objective', { params: { id } })).objective.status;

const box = (page: Page, title: string) => page.getByRole('checkbox', { name: `Select “${title}”` });
const row = (page: Page, title: string) => page.getByRole('link', { name: new RegExp(title) });
const bar = (page: Page) => page.getByRole('region', { name: 'Selection' });
const focused = (page: Page) => page.locator(':focus');

describe('several objectives', () => {
  it('are selected by keyboard and reassigned, and the focus goes to a row that is left', async () => {
    for (const n of [1, 2, 3, 4]) await ask('ada', 'ben', `Sound the bay ${n}`);
    const { page, context, errors } = await shared.open('ada', { path: '/app/objectives?assignee=ben' });
    await row(page, 'Sound the bay 4').focus();
    await page.keyboard.press('x');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Shift+ArrowDown');
    await bar(page).getByText('3 selected').waitFor();
    await page.keyboard.press('x');
    await bar(page).getByText('2 selected').waitFor();
    await page.keyboard.press('Shift+X');
    await page.keyboard.press('Escape');
    await bar(page).waitFor({ state: 'detached' });
    await box(page, 'Sound the bay 4').click();
    await box(page, 'Sound the bay 2').click({ modifiers: ['Shift'] });
    await bar(page).getByText('3 selected').waitFor();
    await bar(page).getByRole('button', { name: 'Reassign' }).click();
    const dialog = page.getByRole('dialog', { name: 'Reassign 3 objectives' });
    await choose(dialog, 'New assignee', 'kim');
    const said = await watchFor(page, '3 objectives were reassigned');
    await dialog.getByRole('button', { name: 'Reassign' }).click();
    await said();
    await row(page, 'Sound the bay 4').waitFor({ state: 'detached' });
    await expect.poll(() => focused(page).textContent()).toContain('Sound the bay 1');
    await expect
      .poll(
        async () => (await as('ada').call('objectives', { query: { assignee: 'kim' } })).objectives.length,
      )
      .toBe(3);
    expect(errors).toEqual([]);
    await context.close();
  });

  it('are canceled as far as the member may, and what was left out is said', async () => {
    const own = await ask('eve', 'kim', 'Chart the reef');
    const other = await ask('ada', 'kim', 'Chart the lagoon');
    const ended = await ask('eve', 'kim', 'Chart the canal');
    await complete('kim', ended);
    const { page, context } = await shared.open('eve', { path: '/app/objectives?status=any&q=Chart' });
    await box(page, 'Chart the reef').check();
    await bar(page).getByRole('button', { name: 'Select all 3' }).click();
    await bar(page).getByRole('button', { name: 'Cancel objectives' }).click();
    const dialog = page.getByRole('dialog', { name: 'Cancel 1 objective' });
    await dialog.getByText('2 of the 3 selected objectives are left out').waitFor();
    await dialog.getByText(/Chart the lagoon.*Only its originator/).waitFor();
    await dialog.getByText(/Chart the canal.*It is done/).waitFor();
    await dialog.getByRole('button', { name: 'Cancel 1 objective' }).click();
    await dialog.waitFor({ state: 'detached' });
    await expect.poll(() => statusOf(own)).toBe('cancelled');
    expect(await statusOf(other)).toBe('active');
    await bar(page).getByText('2 selected').waitFor();
    await expect.poll(() => bar(page).locator(':focus').count()).toBe(1);
    await context.close();
  });

  it('give the focus back to the button if the dialog is closed without a change', async () => {
    for (const n of [1, 2]) await ask('ada', 'kim', `Mend the net ${n}`);
    const { page, context, errors } = await shared.open('ada', { path: '/app/objectives?q=net' });
    await box(page, 'Mend the net 1').check();
    for (const act of ['Reassign', 'Add watchers', 'Cancel objective']) {
      const opener = bar(page).getByRole('button', { name: act });
      await opener.press('Enter');
      await page.getByRole('dialog').waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await focusIn(page).toBe(`button ${act}`);
      await opener.press('Enter');
      await page.getByRole('dialog').getByRole('button', { name: 'Go back' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await focusIn(page).toBe(`button ${act}`);
    }
    expect(errors).toEqual([]);
    await context.close();
  });

  it('are listed with the reason if the broker refuses, and stay selected', async () => {
    const one = await ask('ada', 'kim', 'Dig the north dock');
    const two = await ask('ada', 'kim', 'Dig the south dock');
    const { page, context } = await shared.open('ada', { path: '/app/objectives?q=dock' });
    await box(page, 'Dig the north dock').check();
    await box(page, 'Dig the south dock').check();
    await bar(page).getByRole('button', { name: 'Cancel objectives' }).click();
    const dialog = page.getByRole('dialog', { name: 'Cancel 2 objectives' });
    await dialog.getByLabel('Reason (optional)').fill('No dock');
    await complete('kim', one);
    await dialog.getByRole('button', { name: 'Cancel 2 objectives' }).click();
    await dialog.getByText('1 of 2 objectives was canceled').waitFor();
    await dialog.getByRole('listitem').filter({ hasText: 'Dig the north dock' }).waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    await dialog.waitFor({ state: 'detached' });
    expect(await statusOf(two)).toBe('cancelled');
    await context.close();
  });

  it('get watchers', async () => {
    const id = await ask('ada', 'kim', 'Paint the lighthouse');
    const { page, context } = await shared.open('ada', { path: '/app/objectives?q=lighthouse' });
    await row(page, 'Paint the lighthouse').focus();
    await page.keyboard.press('x');
    await bar(page).getByRole('button', { name: 'Add watchers' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add watchers to 1 objective' });
    await dialog.getByLabel('ben').check();
    await dialog.getByRole('button', { name: 'Add watchers' }).click();
    await dialog.waitFor({ state: 'detached' });
    await expect
      .poll(async () => (await as('ada').call('objective', { params: { id } })).objective.watchers)
      .toEqual(['ben']);
    await context.close();
  });
});
