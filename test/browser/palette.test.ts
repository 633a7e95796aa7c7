/** The command palette: what it finds, what it opens, and what it remembers. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';

let shared: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);
beforeAll(async () => {
  shared = await startConsole({ members: { ada: ['admin'], ben: [], kim: [] } });
});
afterAll(() => shared?.stop());

const as = (name: string) => shared.team.as(name);
const input = (page: Page) => page.getByRole('combobox', { name: /^Search screens/ });
const options = (page: Page) => page.getByRole('option');
async function ask(page: Page, query: string): Promise<void> {
  await page.keyboard.press('ControlOrMeta+k');
  await input(page).fill(query);
}

describe('the palette', () => {
  it('opens the approval of each device that waits', async () => {
    for (const labelHint of ['a red laptop', 'a green laptop', 'a blue laptop'])
      await shared.team.fetch(null, '/enroll', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ labelHint }),
      });
    const { page, context, errors } = await shared.open('ada');
    await page.getByRole('heading', { name: 'Inbox' }).waitFor();
    await ask(page, '');
    await expect.poll(() => options(page).first().textContent()).toMatch(/^Approve [-A-Z]+: a \w+ laptop…/);
    await input(page).fill('approve');
    await expect
      .poll(() =>
        options(page)
          .filter({ hasText: /^Approve/ })
          .count(),
      )
      .toBe(3);
    await input(page).fill('approve green');
    await page.getByRole('option', { name: /^Approve [-A-Z]+: a green laptop/, selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page
      .getByRole('dialog', { name: /^Approve / })
      .getByText('a green laptop')
      .waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.reload();
    await page.getByRole('heading', { name: 'Machines', level: 1 }).waitFor();
    expect(await page.getByRole('dialog').count()).toBe(0);
    expect(errors).toEqual([]);
    await context.close();
  });

  it('opens a file and a folder by their names, but none that the member may not read', async () => {
    for (const path of ['/ben/charts/reef sounding.txt', '/kim/secret sounding.txt'])
      await shared.team.fetch(
        path.split('/')[1] ?? null,
        `/fs/write?${new URLSearchParams({ path, mime: 'text/plain' })}`,
        { method: 'POST', body: 'Four fathoms' },
      );
    const { page, context, errors } = await shared.open('ben', { path: '/app' });
    await page.getByRole('heading', { name: 'Inbox' }).waitFor();
    await ask(page, 'sounding');
    await page.getByRole('option', { name: /^\/ben\/charts\/reef sounding\.txt/, selected: true }).waitFor();
    expect(await options(page).filter({ hasText: 'secret' }).count()).toBe(0);
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'reef sounding.txt' }).getByText('Four fathoms').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await ask(page, 'charts');
    await options(page).filter({ hasText: '/ben/charts' }).first().click();
    await page.getByRole('link', { name: /^reef sounding\.txt/ }).waitFor();
    expect(errors).toEqual([]);
    await context.close();
  });

  it('opens an item of the inbox from any screen, clears it, and takes that back', async () => {
    await as('kim').call('push', { body: { to: 'ada', body: 'The tide turns' } });
    const { page, context, errors } = await shared.open('ada', { path: '/app/admin/team' });
    await page.getByRole('heading', { name: 'Team', level: 1 }).waitFor();
    await ask(page, 'clear direct message kim');
    await page.getByRole('option', { name: /^Clear: 1 direct message from kim/, selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('Cleared').waitFor();
    expect((await as('ada').call('inbox', {})).items.some(({ kind }) => kind === 'direct')).toBe(false);
    await page.getByRole('button', { name: 'Undo' }).click();
    await expect
      .poll(async () => (await as('ada').call('inbox', {})).items.some(({ kind }) => kind === 'direct'))
      .toBe(true);
    await ask(page, '1 direct message');
    await page.getByRole('option', { name: /^1 direct message from kim/, selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'Opened item' }).getByText('The tide turns').waitFor();
    expect(errors).toEqual([]);
    await context.close();
  });

  it('opens members, direct messages, and parts of Admin', async () => {
    const { page, context } = await shared.open('ada');
    await page.getByRole('heading', { name: 'Inbox' }).waitFor();
    await ask(page, 'kim');
    await options(page)
      .filter({ hasText: /^Message kim/ })
      .waitFor();
    await options(page).filter({ hasText: /^kim/ }).click();
    await page.getByRole('region', { name: 'Member kim' }).waitFor();
    await ask(page, 'retention');
    await options(page).filter({ hasText: 'Retention' }).first().click();
    await page.getByRole('region', { name: 'Retention rules' }).waitFor();
    await context.close();
  });

  it('finds messages, and leads to the search for more', async () => {
    await as('kim').call('push', { body: { body: 'The plumb line is in the red shed' } });
    const { page, context } = await shared.open('ada');
    await page.getByRole('heading', { name: 'Inbox' }).waitFor();
    await ask(page, 'plumb line');
    await options(page).filter({ hasText: 'kim: The plumb line' }).click();
    await page.getByRole('log').getByText('The plumb line is in the red shed').waitFor();
    await ask(page, 'plumb line');
    const search = options(page).filter({ hasText: 'Search messages for “plumb line”' });
    const before = await search.boundingBox();
    await options(page).filter({ hasText: 'kim: The plumb line' }).waitFor();
    // The results that arrive leave it where it was, so that it can be clicked at any moment.
    expect(await search.boundingBox()).toEqual(before);
    await search.click();
    await expect.poll(() => new URL(page.url()).searchParams.get('search')).toBe('plumb line');
    await context.close();
  });

  it('offers recent choices first, also after a reload', async () => {
    const { page, context } = await shared.open('ben');
    await page.getByRole('heading', { name: 'Inbox' }).waitFor();
    await ask(page, 'message kim');
    await options(page)
      .filter({ hasText: /^Message kim/ })
      .click();
    await page.getByRole('heading', { name: 'kim', level: 1 }).waitFor();
    await page.reload();
    await page.getByRole('heading', { name: 'kim', level: 1 }).waitFor();
    await page.keyboard.press('ControlOrMeta+k');
    await expect.poll(() => options(page).first().textContent()).toContain('Message kim');
    await context.close();
  });

  it('leads to the text field of #general, also from there', async () => {
    const { page, context } = await shared.open('ada', { path: '/app/conversations/general' });
    const field = page.getByRole('textbox', { name: /^Message/ });
    await field.waitFor();
    await page.getByRole('link', { name: 'Objectives', exact: true }).first().focus();
    await ask(page, 'messages');
    await page.getByRole('option', { name: /^Messages Go to/, selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await expect.poll(() => field.evaluate((it) => it.matches(':focus'))).toBe(true);
    await context.close();
  });

  it('runs a command of the screen on what had the focus', async () => {
    await as('ada').call('createObjective', {
      body: { title: 'Draw the coast', outcome: 'A map', assignee: 'ben', body: '' },
    });
    const { page, context } = await shared.open('ada', { path: '/app/objectives' });
    await page.getByRole('link', { name: /Draw the coast/ }).focus();
    await ask(page, 'select the objective');
    await options(page)
      .filter({ hasText: /^Select the objective/ })
      .click();
    await page.getByRole('region', { name: 'Selection' }).getByText('1 selected').waitFor();
    await expect.poll(() => page.getByRole('checkbox', { name: /Draw the coast/ }).isChecked()).toBe(true);
    await context.close();
  });
});
