/** A member beside the list of people (specification/console.md#people). */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';
import { focused } from './testing/focused.ts';

let shared: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);
beforeAll(async () => {
  shared = await startConsole({ members: { ada: ['admin'], ben: ['observer'], cy: [] } });
});
afterAll(() => shared?.stop());

const row = (page: Page, name: string) =>
  page.getByRole('row').getByRole('link', { name: new RegExp(`^${name}`) });
const panel = (page: Page, name: string) => page.getByRole('region', { name: `Member ${name}` });
const gone = { state: 'detached' } as const;

it('says what each member may do, in words', async () => {
  const { page, context } = await shared.open('ada', { path: '/app/admin/people' });
  await page.getByRole('row', { name: /^ada/ }).getByText('May do everything').waitFor();
  await page.getByRole('row', { name: /^ben/ }).getByText('May change watchers, see all activity').waitFor();
  await page.getByRole('row', { name: /^cy/ }).getByText('No extra permissions').waitFor();
  await row(page, 'ben').click();
  const editor = panel(page, 'ben').getByRole('region', { name: 'Role and permissions' });
  const choice = editor.getByRole('checkbox', { name: /^Manage members/ });
  expect(await choice.locator('xpath=..').textContent()).toContain('members.manage');
  const result = editor
    .locator('div')
    .filter({ has: page.getByText('Resulting permissions') })
    .last();
  expect(await result.getByRole('listitem').allTextContents()).toEqual([
    'Change watchers',
    'See all activity',
  ]);
  await choice.check();
  await result.getByText('Manage members', { exact: true }).waitFor();
  await context.close();
});

describe.each([1280, 800, 390])('at %i px', (width) => {
  it('opens beside the list or in its place, and gives the focus back to the row', async () => {
    const { page, context, errors } = await shared.open('ada', { path: '/app/admin/people', width });
    await row(page, 'ada').focus();
    await page.keyboard.press('ArrowDown');
    await focused(page).toMatch(/^a .*ben/);
    await page.keyboard.press('Enter');
    await panel(page, 'ben').getByText('Primary token').waitFor();
    expect(await row(page, 'cy').isVisible()).toBe(width >= 1024);
    await page.keyboard.press('Escape');
    await panel(page, 'ben').waitFor(gone);
    await focused(page).toMatch(/^a .*ben/);
    await page.keyboard.press('Enter');
    await panel(page, 'ben').waitFor();
    await page.goBack();
    await panel(page, 'ben').waitFor(gone);
    await focused(page).toMatch(/^a .*ben/);
    await page.keyboard.press('Enter');
    await panel(page, 'ben')
      .getByRole('button', { name: width >= 1024 ? 'Close' : 'Back to the people', exact: true })
      .click();
    await panel(page, 'ben').waitFor(gone);
    await focused(page).toMatch(/^a .*ben/);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(errors).toEqual([]);
    await context.close();
  });
});

it('asks before another member takes the place of one with changes that are not saved', async () => {
  const { page, context } = await shared.open('ada', { path: '/app/admin/people?member=ben' });
  await page.getByLabel('Instructions', { exact: true }).fill('Look twice');
  await row(page, 'cy').click();
  const question = page.getByRole('alertdialog');
  await question.getByRole('button', { name: 'Keep editing' }).click();
  await question.waitFor(gone);
  expect(await page.getByLabel('Instructions', { exact: true }).inputValue()).toBe('Look twice');
  await row(page, 'cy').click();
  await question.getByRole('button', { name: 'Discard' }).click();
  await panel(page, 'cy').waitFor();
  await context.close();
});

it('shows other members the role of a member, and nothing else about it', async () => {
  const { page, context, errors } = await shared.open('cy', { path: '/app/admin/people?member=ben' });
  await panel(page, 'ben').getByRole('region', { name: 'Role' }).waitFor();
  expect(await panel(page, 'ben').getByRole('region').count()).toBe(1);
  await row(page, 'cy').click();
  await panel(page, 'cy').getByText('Primary token').waitFor();
  expect(errors).toEqual([]);
  await context.close();
});

it('says that there is no such member', async () => {
  const { page, context } = await shared.open('ada', { path: '/app/admin/people?member=123' });
  await panel(page, '123').getByText('There is no member named 123').waitFor();
  await context.close();
});

it('counts on the row of a member the items of the inbox that are about it', async () => {
  await shared.team.as('cy').call('push', { body: { to: 'ada', body: 'Who signs?' } });
  const { page, context } = await shared.open('ada', { path: '/app/admin/people' });
  await row(page, 'cy').getByText('In your inbox: 1').waitFor();
  expect(await row(page, 'ben').getByText('In your inbox').count()).toBe(0);
  await context.close();
});

it('says before a removal that messages and files are kept, and that it cannot be undone', async () => {
  const { page, context } = await shared.open('ada', { path: '/app/admin/people?member=cy' });
  await panel(page, 'cy').getByRole('button', { name: 'Delete cy' }).click();
  const question = page.getByRole('alertdialog', { name: 'Delete cy?' });
  await question
    .getByText('Messages and files are kept. This cannot be undone, and the name can never be reused.', {
      exact: false,
    })
    .waitFor();
  await question.getByRole('button', { name: 'Cancel' }).click();
  await question.waitFor(gone);
  await context.close();
});
