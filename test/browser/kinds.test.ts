/** People and agents in the console (specification/members.md#kinds). */
import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { choose, optionsOf, selectIn } from './testing/choose.ts';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';

let shared: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);
beforeAll(async () => {
  shared = await startConsole({ members: { ada: ['admin'], ben: [], coder: [], tester: [] } });
  const body = { runId: randomUUID(), host: 'mill', agent: 'Claude Code 2' };
  await shared.team.as('coder').call('takeRun', { body });
  await shared.team.as('coder').call('endRun', { params: { id: body.runId } });
  await shared.team.as('coder').call('push', { body: { to: null, body: 'It is built' } });
  await shared.team.as('ben').call('push', { body: { to: null, body: 'Thank you' } });
});
afterAll(() => shared?.stop());

const row = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
const badge = (page: Page, name: string) => row(page, name).getByText('agent', { exact: true });

const table = (page: Page, name: string) => page.getByRole('table', { name });

it('lists agents apart from people, also on a phone', async () => {
  for (const width of [1280, 390]) {
    const { page, context, errors } = await shared.open('ada', { path: '/app/admin/people', width });
    await badge(page, 'coder').waitFor();
    expect(await badge(page, 'ben').count()).toBe(0);
    expect(await table(page, 'People').getByRole('link').count()).toBe(3);
    expect(await table(page, 'Agents').getByRole('link').allTextContents()).toEqual([
      expect.stringContaining('coder'),
    ]);
    expect(errors).toEqual([]);
    await context.close();
  }
});

it('shows nobody before the kinds are known, because agents would be among the people', async () => {
  const { page, context, errors } = await shared.open('ada', { path: '/app/admin/people' });
  await row(page, 'ben').waitFor();
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/member-kinds*', async (route) => {
    await held;
    await route.continue();
  });
  const members = page.waitForResponse((response) => new URL(response.url()).pathname === '/members');
  await page.reload();
  await members;
  await page.evaluate(
    'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done))))',
  );
  expect(await page.getByRole('row').count()).toBe(0);
  release();
  await row(page, 'ben').waitFor();
  expect(await table(page, 'Agents').getByRole('link').count()).toBe(1);
  expect(errors).toEqual([]);
  await context.close();
});

it('marks agents in a conversation, in the completion, and in lists to choose from', async () => {
  const { page, context, errors } = await shared.open('ada', { path: '/app/conversations/general' });
  const said = page.getByRole('log').getByText('agent', { exact: true });
  await said.waitFor();
  expect(await said.count()).toBe(1);
  await page.getByRole('textbox', { name: /^Message/ }).pressSequentially('@');
  const option = (name: string) => page.getByRole('option').filter({ hasText: `@${name}` });
  await option('coder').getByText('agent', { exact: true }).waitFor();
  const offered = await page
    .getByRole('option')
    .evaluateAll((all) => all.map(({ textContent }) => textContent));
  expect(offered.map((text) => /@(\w+?)(?:agent)?$/.exec(text ?? '')?.[1])).toEqual([
    'ada',
    'ben',
    'tester',
    'coder',
  ]);
  expect(await option('ben').getByText('agent', { exact: true }).count()).toBe(0);
  await page.goto('/app/activity');
  await optionsOf(page, 'Member');
  await page.getByRole('group', { name: 'Agents' }).getByRole('option', { name: 'coder' }).waitFor();
  expect(await page.getByRole('group', { name: 'People' }).getByRole('option', { name: 'ben' }).count()).toBe(
    1,
  );
  expect(errors).toEqual([]);
  await context.close();
});

/** Of the list that is open: the name of each group, and then its options. */
const groups = (page: Page) =>
  expect.poll(() =>
    page
      .getByRole('listbox')
      .getByRole('group')
      .evaluateAll((all) => all.map(({ children }) => [...children].map(({ textContent }) => textContent))),
  );

it('groups those to whom an objective can be assigned: in the form, for one, and for several', async () => {
  const { id } = await shared.team.as('ada').call('createObjective', {
    body: { title: 'Draw the coast', outcome: 'A map', assignee: 'ben', body: '', watchers: [] },
  });
  const { page, context, errors } = await shared.open('ada', { path: '/app/objectives?create=true' });
  const watchers = page.getByRole('dialog').getByRole('group', { name: 'Watchers' }).locator('label');
  await expect
    .poll(async () => (await watchers.allTextContents()).map((text) => text.trim()))
    .toEqual(['ada', 'ben', 'tester', 'coder agent']);
  await optionsOf(page.getByRole('dialog'), 'Assignee');
  await groups(page).toEqual([
    ['People', 'ada (you)', 'ben', 'tester'],
    ['Agents', 'coder'],
  ]);
  await page.goto(`/app/objectives/${id}`);
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Reassign' }).click();
  await optionsOf(page.getByRole('dialog'), 'New assignee');
  await groups(page).toEqual([
    ['People', 'ada', 'tester'],
    ['Agents', 'coder'],
  ]);
  await page.goto('/app/objectives');
  await page.getByRole('checkbox', { name: 'Select “Draw the coast”' }).click();
  await page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Reassign' }).click();
  await optionsOf(page.getByRole('dialog'), 'New assignee');
  await groups(page).toEqual([
    ['People', 'ada', 'ben', 'tester'],
    ['Agents', 'coder'],
  ]);
  await page.keyboard.press('Escape');
  await page.getByRole('listbox').waitFor({ state: 'detached' });
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await optionsOf(page, 'Assignee');
  await groups(page).toEqual([
    ['People', 'ada', 'ben', 'tester'],
    ['Agents', 'coder'],
  ]);
  expect(errors).toEqual([]);
  await context.close();
});

it('lists assignees without groups until the kinds are known, and keeps the choice when they are', async () => {
  const { page, context, errors } = await shared.open('ada', { path: '/app/objectives' });
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  await page.route('**/member-kinds*', async (route) => {
    await held;
    await route.continue();
  });
  await page.goto('/app/objectives?create=true');
  const form = page.getByRole('dialog');
  await (await optionsOf(form, 'Assignee')).filter({ hasText: 'coder' }).waitFor();
  await groups(page).toEqual([]);
  await page.keyboard.press('Escape');
  await choose(form, 'Assignee', 'coder');
  release();
  await optionsOf(form, 'Assignee');
  await page.getByRole('group', { name: 'Agents' }).waitFor();
  expect(await page.getByRole('option', { selected: true }).allTextContents()).toEqual(['coder']);
  expect(await selectIn(form, 'Assignee').textContent()).toBe('coder');
  expect(errors).toEqual([]);
  await context.close();
});

it('follows in an open console when an operator sets the kind on the page of the member', async () => {
  const reader = await shared.open('ben', { path: '/app/admin/people' });
  await row(reader.page, 'tester').waitFor();
  const { page, context, errors } = await shared.open('ada', { path: '/app/admin/people?member=tester' });
  await choose(page, 'Kind of member', 'Agent');
  await badge(reader.page, 'tester').waitFor();
  await choose(page, 'Kind of member', 'Detect from how it connects');
  await badge(reader.page, 'tester').waitFor({ state: 'detached' });
  await expect.poll(() => selectIn(page, 'Kind of member').textContent()).toBe('Detected: person');
  await reader.page.goto('/app/admin/people?member=coder');
  await reader.page
    .getByRole('region', { name: 'Member coder' })
    .getByText('agent', { exact: true })
    .waitFor();
  expect(await reader.page.getByRole('combobox', { name: 'Kind of member' }).count()).toBe(0);
  expect([...errors, ...reader.errors]).toEqual([]);
  await context.close();
  await reader.context.close();
});
