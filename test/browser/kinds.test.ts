/** People and agents in the console (specification/members.md#kinds). */
import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
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

it('marks agents among the members, and filters by kind, also on a phone', async () => {
  for (const width of [1280, 390]) {
    const { page, context, errors } = await shared.open('ada', { path: '/app/members', width });
    await badge(page, 'coder').waitFor();
    expect(await badge(page, 'ben').count()).toBe(0);
    await page.getByRole('combobox', { name: 'Kind' }).selectOption('Agents');
    await row(page, 'ben').waitFor({ state: 'detached' });
    expect(await row(page, 'coder').count()).toBe(1);
    await page.getByRole('combobox', { name: 'Kind' }).selectOption('People');
    await row(page, 'coder').waitFor({ state: 'detached' });
    expect(await row(page, 'ben').count()).toBe(1);
    await page.reload();
    await row(page, 'ben').waitFor();
    expect(await row(page, 'coder').count()).toBe(0);
    expect(errors).toEqual([]);
    await context.close();
  }
});

it('shows nobody through a filter by kind before the kinds are known', async () => {
  const { page, context, errors } = await shared.open('ada', { path: '/app/members?kind=person' });
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
  expect(await page.getByRole('row').filter({ hasText: 'coder' }).count()).toBe(0);
  release();
  await row(page, 'ben').waitFor();
  expect(await row(page, 'coder').count()).toBe(0);
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
  expect(await option('ben').getByText('agent', { exact: true }).count()).toBe(0);
  await page.goto('/app/activity');
  await page.locator('optgroup[label="Agents"] option', { hasText: 'coder' }).waitFor({ state: 'attached' });
  expect(await page.locator('optgroup[label="People"] option', { hasText: 'ben' }).count()).toBe(1);
  expect(errors).toEqual([]);
  await context.close();
});

const optionsOf = (page: Page, label: string) =>
  page.getByRole('dialog').getByLabel(label, { exact: true }).locator('optgroup');
const groupsOf = (page: Page, label: string) =>
  optionsOf(page, label).evaluateAll((groups) =>
    groups.map((group) => [
      group.getAttribute('label'),
      ...[...group.children].map(({ textContent }) => textContent),
    ]),
  );

it('groups those to whom an objective can be assigned: in the form, for one, and for several', async () => {
  const { id } = await shared.team.as('ada').call('createObjective', {
    body: { title: 'Draw the coast', outcome: 'A map', assignee: 'ben', body: '', watchers: [] },
  });
  const { page, context, errors } = await shared.open('ada', { path: '/app/objectives?create=true' });
  await expect
    .poll(() => groupsOf(page, 'Assignee'))
    .toEqual([
      ['People', 'ada (you)', 'ben', 'tester'],
      ['Agents', 'coder'],
    ]);
  await page.goto(`/app/objectives/${id}`);
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Reassign' }).click();
  await expect
    .poll(() => groupsOf(page, 'New assignee'))
    .toEqual([
      ['People', 'ada', 'tester'],
      ['Agents', 'coder'],
    ]);
  await page.goto('/app/objectives');
  await page.getByRole('checkbox', { name: 'Select “Draw the coast”' }).click();
  await page.getByRole('region', { name: 'Selection' }).getByRole('button', { name: 'Reassign' }).click();
  await expect
    .poll(() => groupsOf(page, 'New assignee'))
    .toEqual([
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
  const assignee = page.getByRole('dialog').getByLabel('Assignee', { exact: true });
  await assignee.locator('option', { hasText: 'coder' }).waitFor({ state: 'attached' });
  expect(await optionsOf(page, 'Assignee').count()).toBe(0);
  await assignee.selectOption('coder');
  release();
  await optionsOf(page, 'Assignee').first().waitFor({ state: 'attached' });
  expect(await assignee.inputValue()).toBe('coder');
  expect(errors).toEqual([]);
  await context.close();
});

it('follows in an open console when an operator sets the kind on the page of the member', async () => {
  const reader = await shared.open('ben', { path: '/app/members' });
  await row(reader.page, 'tester').waitFor();
  const { page, context, errors } = await shared.open('ada', { path: '/app/members/tester' });
  const choice = page.getByRole('combobox', { name: 'Kind of member' });
  await choice.selectOption('Agent');
  await badge(reader.page, 'tester').waitFor();
  await choice.selectOption({ index: 0 });
  await badge(reader.page, 'tester').waitFor({ state: 'detached' });
  expect(await page.getByRole('combobox', { name: 'Kind of member' }).inputValue()).toBe('derived');
  await reader.page.goto('/app/members/coder');
  await reader.page.getByText('agent', { exact: true }).waitFor();
  expect(await reader.page.getByRole('combobox', { name: 'Kind of member' }).count()).toBe(0);
  expect([...errors, ...reader.errors]).toEqual([]);
  await context.close();
  await reader.context.close();
});
