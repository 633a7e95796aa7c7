/** Admin: one place with one menu over its parts (specification/console.md#admin). */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';

let shared: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);
beforeAll(async () => {
  shared = await startConsole({ members: { ada: ['admin'], ben: [] } });
});
afterAll(() => shared?.stop());

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 });
const menu = (page: Page) => page.getByRole('navigation', { name: 'Admin' });
const pathOf = (page: Page): string => {
  const { pathname, search } = new URL(page.url());
  return pathname + search;
};

describe('the address of a former screen leads to its part', () => {
  it.each([
    ['/app/members', '/app/admin/people', 'People'],
    ['/app/members?q=ben', '/app/admin/people?q=ben', 'People'],
    ['/app/members/ben', '/app/admin/people?member=ben', 'People'],
    ['/app/devices', '/app/admin/machines', 'Machines'],
    ['/app/devices?code=BCDF-GHJK', '/app/admin/machines?code=BCDF-GHJK', 'Machines'],
    ['/app/audit?kind=login', '/app/admin/audit?kind=login', 'Audit'],
    ['/app/settings', '/app/admin/team', 'Team'],
    ['/app/settings?part=constructor', '/app/admin/team', 'Team'],
    ['/app/settings?part=access', '/app/admin/network', 'Network'],
    ['/app/settings?part=federation', '/app/admin/network', 'Network'],
    ['/app/settings?part=health', '/app/admin/health', 'Health'],
    ['/app/settings?part=retention', '/app/admin/backup', 'Backup and retention'],
    ['/app/settings?part=key', '/app/admin/backup', 'Backup and retention'],
    ['/app/settings?part=notifications', '/app/me?part=notifications', 'Me'],
    ['/app/you', '/app/me', 'Me'],
    ['/app/you?part=notifications', '/app/me?part=notifications', 'Me'],
  ])('%s', async (former, now, title) => {
    const { page, context, errors } = await shared.open('ada', { path: former });
    await heading(page, title).waitFor();
    expect(pathOf(page)).toBe(now);
    expect(errors).toEqual([]);
    await context.close();
  });
});

it('opens from the name of the team, and has the same menu on each part, which counts what Health says and keeps the focus', async () => {
  const { page, context, errors } = await shared.open('ada');
  await page
    .getByRole('complementary')
    .getByRole('link', { name: /Admin$/ })
    .click();
  await heading(page, 'People').waitFor();
  const parts = ['People', 'Machines', 'Audit', 'Backup and retention', 'Network', 'Health', 'Team'];
  const count = 'Needs attention: 1';
  await menu(page).getByRole('link', { name: 'Health' }).getByText(count).waitFor();
  expect(await menu(page).getByRole('link').allTextContents()).toEqual(
    parts.map((part) => (part === 'Health' ? `${part}1${count}` : part)),
  );
  for (const part of parts) {
    await menu(page).getByRole('link', { name: part }).press('Enter');
    await heading(page, part).waitFor();
    expect(await menu(page).locator('[aria-current=page]').textContent()).toMatch(new RegExp(`^${part}`));
    expect(await page.evaluate('document.activeElement.textContent')).toMatch(new RegExp(`^${part}`));
  }
  expect(errors).toEqual([]);
  await context.close();
});

it('counts a device that waits at Machines, also after it was cleared from the inbox', async () => {
  await shared.team.fetch(null, '/enroll', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ labelHint: 'a lost laptop' }),
  });
  const { page, context } = await shared.open('ada', { path: '/app' });
  const item = page.getByRole('listitem').filter({ hasText: 'a lost laptop' });
  await item.hover();
  await item.getByRole('button', { name: 'Clear' }).click();
  await item.waitFor({ state: 'detached' });
  await page.goto('/app/admin');
  await menu(page).getByText('Devices that wait: 1').waitFor();
  const { enrollments } = await shared.team.as('ada').call('pendingEnrollments', {});
  for (const { userCode } of enrollments)
    await shared.team.as('ada').call('rejectEnrollment', { body: { userCode } });
  await menu(page).getByText('Devices that wait: 1').waitFor({ state: 'detached' });
  await context.close();
});

it('begins Backup with the stores in memory as Health says it, and says that the broker does not know of backups', async () => {
  const { page, context, errors } = await shared.open('ada', { path: '/app/admin/backup' });
  await page.getByText(/A backup has everything of this team that is on disk:/).waitFor();
  const said = page.getByRole('main').getByRole('listitem').filter({ hasText: 'are in memory' });
  const words = await said.textContent();
  const command = page.getByLabel('Command for the broker’s machine');
  expect(await command.inputValue()).toBe('muster serve --db main.db --activity-db activity.db');
  await page.setViewportSize({ width: 360, height: 740 });
  const lines = () =>
    command.evaluate((one) =>
      one.scrollWidth > one.clientWidth ? 'cut' : one.scrollHeight - one.clientHeight,
    );
  await expect.poll(lines).toBe(0);
  expect((await command.boundingBox())?.height).toBeGreaterThan(36);
  await page.setViewportSize({ width: 1280, height: 860 });
  const sections = page.getByRole('main').getByRole('heading', { level: 2 });
  const first = await sections.first().boundingBox();
  expect((await said.boundingBox())?.y).toBeLessThan(first?.y ?? 0);
  expect(await heading(page, 'Backup and retention').boundingBox()).toMatchObject({
    height: expect.closeTo(24, -1),
  });
  await expect.poll(() => page.getByText('in memory, lost when the broker stops').count()).toBe(3);
  expect(await page.getByText('kept forever').count()).toBe(0);
  await page.getByText('The broker does not record backups').waitFor();
  await page.getByLabel('Verify command').waitFor();
  await page.getByText('No legal hold is set').waitFor();
  await menu(page).getByRole('link', { name: 'Health' }).click();
  await heading(page, 'Health').waitFor();
  expect(await said.textContent()).toBe(words);
  expect(errors).toEqual([]);
  await context.close();
});

it('begins Network with who can reach the broker, and that nothing is needed', async () => {
  const { page, context, errors } = await shared.open('ada', { path: '/app/admin/network' });
  const said = page.getByText(/^Only the broker’s own machine can reach it\. .*Nothing here needs you\.$/);
  const first = await page.getByRole('main').getByRole('heading', { level: 2 }).first().boundingBox();
  expect((await said.boundingBox())?.y).toBeLessThan(first?.y ?? 0);
  expect(errors).toEqual([]);
  await context.close();
});

it('is a list of its parts on a phone, to which each part leads back', async () => {
  const { page, context, errors } = await shared.open('ada', { path: '/app/admin', width: 390, height: 740 });
  await heading(page, 'Admin').waitFor();
  const list = page.getByRole('main').getByRole('listitem');
  expect(await list.count()).toBe(7);
  await list.getByRole('link', { name: /^Health/ }).click();
  await heading(page, 'Health').waitFor();
  expect(await menu(page).isVisible()).toBe(false);
  await page.getByRole('link', { name: 'Back to Admin' }).click();
  await heading(page, 'Admin').waitFor();
  expect(errors).toEqual([]);
  await context.close();
});

it('shows other members the parts that they may use, and leads from the others to those', async () => {
  for (const hidden of ['audit', 'backup', 'network', 'health']) {
    const { page, context, errors } = await shared.open('ben', { path: `/app/admin/${hidden}` });
    await heading(page, 'People').waitFor();
    expect(await menu(page).getByRole('link').allTextContents()).toEqual(['People', 'Machines', 'Team']);
    expect(errors).toEqual([]);
    await context.close();
  }
});

it('opens by keys', async () => {
  const { page, context } = await shared.open('ada');
  await heading(page, 'Inbox').waitFor();
  for (const [key, title] of [
    ['m', 'People'],
    ['d', 'Machines'],
    ['l', 'Audit'],
    ['s', 'People'],
  ] as const) {
    await page.keyboard.press('g');
    await page.keyboard.press(key);
    await heading(page, title).waitFor();
  }
  await context.close();
});
