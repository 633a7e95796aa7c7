/** The board of objectives: cards move between statuses by pointer and by keyboard, as far as that is allowed. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';
import { focused as focusIn } from './testing/focused.ts';
import { watchFor } from './testing/passing-words.ts';

let shared: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);
beforeAll(async () => {
  shared = await startConsole({ members: { ada: ['admin'], ben: [], kim: [] } });
});
afterAll(() => shared?.stop());

const as = (name: string) => shared.team.as(name);
const ask = async (assignee: string, title: string) => {
  const { id } = await as('ada').call('createObjective', {
    body: { title, outcome: 'It is drawn', assignee, body: '' },
  });
  return id;
};
const objectiveOf = async (id: string) => (await as('ada').call('objective', { params: { id } })).objective;
const kindsOf = async (id: string) =>
  (await as('ada').call('objective', { params: { id } })).events.map(({ kind }) => kind);
const column = (page: Page, name: string) => page.getByRole('region', { name, exact: true });
const card = (page: Page, status: string, title: string) =>
  column(page, status).getByRole('link', { name: new RegExp(title) });
const focused = (page: Page) => page.locator(':focus').textContent();

describe('a card', () => {
  it('is dragged to blocked with a reason, taken back, and dragged to active', async () => {
    const id = await ask('ben', 'Sound the bay');
    const { page, context, errors } = await shared.open('ada', { path: '/app/objectives?view=board' });
    await card(page, 'active', 'Sound the bay').dragTo(column(page, 'blocked'));
    const dialog = page.getByRole('dialog', { name: 'Block objective' });
    await dialog.getByLabel('What is missing, and from whom?').fill('A boat');
    await dialog.getByRole('button', { name: 'Block' }).click();
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect.poll(() => kindsOf(id)).toEqual(['assigned', 'blocked', 'unblocked']);
    await card(page, 'active', 'Sound the bay').waitFor();
    await as('ben').call('updateObjective', {
      params: { id },
      body: { status: 'blocked', blockReason: 'No line' },
    });
    await card(page, 'blocked', 'Sound the bay').dragTo(column(page, 'active'));
    await page.getByRole('button', { name: 'Undo' }).last().click();
    await expect
      .poll(() => kindsOf(id))
      .toEqual(['assigned', 'blocked', 'unblocked', 'blocked', 'unblocked', 'blocked']);
    await card(page, 'blocked', 'Sound the bay').waitFor();
    await page.getByText('1 item here needs you: Blocked: Sound the bay.').waitFor();
    expect((await objectiveOf(id)).blockReason).toBe('No line');
    expect(errors).toEqual([]);
    await context.close();
  });

  it('moves by keyboard through the dialogs of the actions, and the focus follows it', async () => {
    const id = await ask('ada', 'Chart the reef');
    const { page, context } = await shared.open('ada', { path: '/app/objectives?view=board&assignee=ada' });
    const move = () => page.getByRole('button', { name: 'Move “Chart the reef”' });
    await card(page, 'active', 'Chart the reef').focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Move to blocked…' }).press('Enter');
    await page.getByRole('textbox').last().fill('No chart paper');
    await page.getByRole('dialog').getByRole('button', { name: 'Block' }).press('Enter');
    await card(page, 'blocked', 'Chart the reef').waitFor();
    await expect.poll(() => focused(page)).toContain('Chart the reef');
    await move().press('Enter');
    await page.getByRole('menuitem', { name: 'Move to done…' }).press('Enter');
    await page.getByRole('dialog').getByLabel('Result').fill('Sheet 12');
    await page.getByRole('dialog').getByRole('button', { name: 'Complete' }).press('Enter');
    await card(page, 'done', 'Chart the reef').waitFor();
    await expect.poll(() => focused(page)).toContain('Chart the reef');
    expect((await objectiveOf(id)).result).toBe('Sheet 12');
    const said = await watchFor(page, 'It is done, which is final.');
    await move().press('Enter');
    await page.getByRole('menuitem', { name: 'Move to active' }).press('Enter');
    await said();
    await context.close();
  });

  it('has the focus after it is unblocked and after Undo, or a card that is left has it', async () => {
    for (const title of ['Mark the wreck', 'Mark the old wreck'])
      await as('ada').call('updateObjective', {
        params: { id: await ask('ada', title) },
        body: { status: 'blocked', blockReason: 'No buoy' },
      });
    const { page, context, errors } = await shared.open('ada', {
      path: '/app/objectives?view=board&q=wreck',
    });
    const unblock = async (title: string) => {
      await page.getByRole('button', { name: `Move “${title}”` }).press('Enter');
      await page.getByRole('menuitem', { name: 'Move to active' }).press('Enter');
    };
    const undo = () => page.getByRole('button', { name: 'Undo' }).last().press('Enter');
    await unblock('Mark the wreck');
    await card(page, 'active', 'Mark the wreck').waitFor();
    await focusIn(page).toMatch(/^a Mark the wreck/);
    await undo();
    await card(page, 'blocked', 'Mark the wreck').waitFor();
    await card(page, 'active', 'Mark the wreck').waitFor({ state: 'detached' });
    await focusIn(page).toMatch(/^a Mark the wreck/);
    await page.goto('/app/objectives?view=board&status=blocked&q=wreck');
    await unblock('Mark the wreck');
    await card(page, 'blocked', 'Mark the wreck').waitFor({ state: 'detached' });
    await focusIn(page).toMatch(/^a Mark the old wreck/);
    await undo();
    await card(page, 'blocked', 'Mark the wreck').waitFor();
    await focusIn(page).toMatch(/^a Mark the wreck/);
    await page.goto('/app/objectives?view=board&status=blocked&q=old+wreck');
    await unblock('Mark the old wreck');
    await card(page, 'blocked', 'Mark the old wreck').waitFor({ state: 'detached' });
    await focusIn(page).toBe('div Board');
    expect(errors).toEqual([]);
    await context.close();
  });

  it('stays where it is if the member may not move it, and the reason is said', async () => {
    const id = await ask('ben', 'Paint the buoy');
    const { page, context } = await shared.open('kim', { path: '/app/objectives?view=board' });
    const said = await watchFor(page, 'Only its assignee, ben, may complete it.');
    await card(page, 'active', 'Paint the buoy').dragTo(column(page, 'done'));
    await said();
    expect(await page.getByRole('dialog').and(page.locator(':not([data-notice])')).count()).toBe(0);
    expect((await objectiveOf(id)).status).toBe('active');
    await context.close();
  });
});
