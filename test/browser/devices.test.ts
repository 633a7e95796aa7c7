/** The devices of the team as a list of machines (specification/console.md#machines). */
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeAt } from '../../broker/testing/test-authenticator.ts';
import { choose } from './testing/choose.ts';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';

let shared: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);
beforeAll(async () => {
  shared = await startConsole({ members: { ada: ['admin'], ben: [], coder: [] } });
  const ada = shared.team.as('ada');
  await shared.team.as('ben').call('session', {});
  await ada.call('createRunToken', { params: { name: 'coder' }, body: { label: 'run on mill' } });
});
afterAll(() => shared?.stop());

async function enroll(label: string): Promise<void> {
  const ada = shared.team.as('ada');
  const { userCode } = await ada.call('enroll', { body: { labelHint: label } });
  await ada.call('approveEnrollment', { body: { mode: 'bind', userCode, memberName: 'ben', label } });
}

const list = (page: Page) => page.getByRole('region', { name: 'Everything that has access' });
const row = (page: Page, text: string) => list(page).getByRole('row').filter({ hasText: text });

it('lists every token with its member, use, and address, and filters', async () => {
  await enroll('laptop');
  const { page, context, errors } = await shared.open('ada', { path: '/app/admin/machines' });
  const laptop = row(page, 'laptop');
  await laptop.getByText('never used').waitFor();
  await laptop.getByText('ben', { exact: true }).waitFor();
  const primary = row(page, 'Primary token').filter({ hasText: 'ben' });
  await primary.getByText('127.0.0.1').waitFor();
  await row(page, 'run on mill').getByRole('cell', { name: 'run', exact: true }).waitFor();
  const own = row(page, 'this session');
  await own.getByRole('cell', { name: 'session', exact: true }).waitFor();
  expect(await own.getByRole('button').count()).toBe(0);
  const order = () => list(page).getByRole('row').locator('td:nth-child(2)').allTextContents();
  expect((await order())[0]).toContain('ada');
  await page.getByRole('columnheader', { name: 'Member' }).getByRole('button').click();
  await page.locator('[aria-sort=descending]').waitFor();
  expect((await order())[0]).toContain('coder');
  await list(page).getByRole('searchbox', { name: 'Filter devices' }).fill('mill');
  await laptop.waitFor({ state: 'detached' });
  expect(await row(page, 'run on mill').count()).toBe(1);
  await list(page).getByRole('searchbox', { name: 'Filter devices' }).fill('');
  await choose(list(page), 'Which devices', 'Never used');
  await primary.waitFor({ state: 'detached' });
  expect(await laptop.count()).toBe(1);
  expect(errors).toEqual([]);
  await context.close();
});

it.each([900, 390])('takes a few lines for each device at %i px', async (width) => {
  const { page, context } = await shared.open('ada', { path: '/app/admin/machines', width });
  const rows = list(page).locator('tbody tr');
  await rows.first().waitFor();
  const heights = await rows.evaluateAll((all) => all.map((one) => one.clientHeight));
  expect(Math.max(...heights)).toBeLessThan(width === 900 ? 120 : 150);
  await context.close();
});

it.each([1280, 390])(
  'revokes a device after a confirmation, and keeps the focus in the list, at %i px',
  async (width) => {
    const label = `tablet ${width}`;
    await enroll(label);
    const { page, context, errors } = await shared.open('ada', { path: '/app/admin/machines', width });
    await page.getByRole('button', { name: `Revoke ${label} of ben` }).click();
    const confirm = page.getByRole('alertdialog', { name: `Revoke ${label} of ben?` });
    await confirm.getByRole('button', { name: 'Cancel' }).click();
    await confirm.waitFor({ state: 'detached' });
    expect(await row(page, label).count()).toBe(1);
    await page.getByRole('button', { name: `Revoke ${label} of ben` }).click();
    await confirm.getByRole('button', { name: 'Revoke' }).click();
    await confirm.waitFor({ state: 'detached' });
    await row(page, label).waitFor({ state: 'detached' });
    await expect
      .poll(() => page.evaluate(`document.activeElement.getAttribute('aria-label')`))
      .toBe('Everything that has access');
    const { devices } = await shared.team.as('ada').call('devices', {});
    expect(devices.filter((one) => one.label === label)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    expect(errors).toEqual([]);
    await context.close();
  },
);

it('ends a session of another member', async () => {
  const { totpSecret } = await shared.team.as('ada').call('enrollTotp', { params: { name: 'coder' } });
  const headers = { 'content-type': 'application/json', 'user-agent': 'a script' };
  const body = JSON.stringify({ code: codeAt(totpSecret, Date.now()), member: 'coder' });
  await fetch(`${shared.team.url}/session/totp`, { method: 'POST', headers, body });
  const { page, context, errors } = await shared.open('ada', { path: '/app/admin/machines' });
  const session = row(page, 'coder').filter({
    has: page.getByRole('cell', { name: 'session', exact: true }),
  });
  await session.getByRole('button', { name: /^Revoke / }).click();
  const confirm = page.getByRole('alertdialog');
  await confirm.getByRole('button', { name: 'Revoke' }).click();
  // Nothing behind an open question has a role.
  await confirm.waitFor({ state: 'detached' });
  await session.waitFor({ state: 'detached' });
  const { sessions } = await shared.team.as('ada').call('sessions', { query: { member: 'coder' } });
  expect(sessions).toEqual([]);
  expect(errors).toEqual([]);
  await context.close();
});

it('approves a device that waits above the list', async () => {
  await shared.team.as('ada').call('enroll', { body: { labelHint: 'workbench' } });
  const { page, context, errors } = await shared.open('ada', { path: '/app/admin/machines' });
  await page
    .getByRole('listitem')
    .filter({ hasText: 'workbench' })
    .getByRole('button', { name: 'Approve…' })
    .click();
  const form = page.getByRole('dialog');
  await choose(form, 'Member', 'ben');
  await form.getByRole('button', { name: 'Approve device' }).click();
  await row(page, 'workbench').waitFor();
  expect(errors).toEqual([]);
  await context.close();
});

it('rejects a device from the dialog that approves it, whose texts stay if the rejection is canceled', async () => {
  await shared.team.as('ada').call('enroll', { body: { labelHint: 'stranger' } });
  const { page, context, errors } = await shared.open('ada', { path: '/app/admin/machines' });
  // The list of decided devices has it afterward.
  const waiting = page.locator('[data-device]').filter({ hasText: 'stranger' });
  await waiting.getByRole('button', { name: 'Approve…' }).click();
  const approval = page.getByRole('dialog', { name: /^Approve / });
  const rejection = page.getByRole('dialog', { name: /^Reject / });
  await approval.getByLabel('Device label').fill('lathe');
  const focused = () => page.evaluate('document.activeElement.textContent');
  await page.keyboard.press('Tab');
  expect(await focused()).toBe('Reject…');
  await page.keyboard.press('Tab');
  expect(await focused()).toBe('Cancel');
  await page.keyboard.press('Shift+Tab');
  await page.keyboard.press('Enter');
  await rejection.getByText('stranger', { exact: true }).waitFor();
  await rejection.getByRole('button', { name: 'Cancel' }).click();
  await approval.waitFor();
  expect(await focused()).toBe('Reject…');
  expect(await approval.getByLabel('Device label').inputValue()).toBe('lathe');
  await page.keyboard.press('Enter');
  await rejection.getByLabel('Reason (optional)').fill('Nobody knows it');
  await rejection.getByRole('button', { name: 'Reject device' }).click();
  await waiting.waitFor({ state: 'detached' });
  await rejection.waitFor({ state: 'detached' });
  await page.getByText('No device is waiting').waitFor();
  await page.getByText('Nobody knows it').waitFor();
  expect(errors).toEqual([]);
  await context.close();
});

it('shows other members their own devices only, and follows when one is added', async () => {
  const { page, context, errors } = await shared.open('ben', { path: '/app' });
  await page.getByRole('link', { name: /Admin$/ }).click();
  await page.getByRole('navigation', { name: 'Admin' }).getByRole('link', { name: 'Machines' }).click();
  await row(page, 'Primary token').waitFor();
  expect(await list(page).getByText('ada', { exact: true }).count()).toBe(0);
  expect(await page.getByRole('region', { name: 'Waiting for you' }).count()).toBe(0);
  await enroll('new phone');
  await row(page, 'new phone').waitFor();
  expect(errors).toEqual([]);
  await context.close();
});

describe.each([1280, 360])('the approval of a device at %i px', (width) => {
  it('says what to compare, how long it waits, and what is missing', async () => {
    const { userCode } = await shared.team.as('ada').call('enroll', { body: { labelHint: 'bench' } });
    const { page, context, errors } = await shared.open('ada', { path: '/app', width });
    const item = page.getByRole('link', { name: /bench is waiting/ });
    const lines = await item
      .getByText(userCode, { exact: true })
      .evaluate((it) => it.getClientRects().length);
    expect(lines).toBe(1);
    await item.click();
    const form = page.getByRole('region', { name: 'Opened item' });
    await form.getByText(/^Approve only if the device shows the same code/).waitFor();
    await form.getByText(/^\d+:\d\d left$/).waitFor();
    const approve = form.getByRole('button', {
      name: 'Approve device',
      description: 'Choose a member first.',
    });
    await approve.waitFor();
    await choose(form, 'Member', 'ben');
    await form.getByText('Choose a member first.').waitFor({ state: 'detached' });
    await form.getByRole('radio', { name: 'New member' }).check();
    await form.getByText('Enter a name and a role first.').waitFor();
    // The menu of Admin, and on a phone its list, count the devices.
    await page.goto(width < 640 ? '/app/admin' : '/app/admin/health');
    const waiting = page.getByRole('link', { name: /^Machines/ }).getByText('Devices that wait: 1');
    await waiting.waitFor();
    await shared.team.as('ada').call('rejectEnrollment', { body: { userCode, reason: null } });
    await waiting.waitFor({ state: 'detached' });
    expect(errors).toEqual([]);
    await context.close();
  });

  it('is in line with the other rows of the inbox, and beside the button that only clears the row', async () => {
    const { userCode } = await shared.team.as('ada').call('enroll', { body: { labelHint: 'plane' } });
    await shared.team.as('ben').call('push', { body: { to: 'ada', body: 'In line' } });
    const { page, context } = await shared.open('ada', { path: '/app', width });
    const row = (words: string) => page.getByRole('listitem').filter({ hasText: words });
    const endOf = async (one: Locator) => {
      const { x = 0, width: its = 0 } = (await one.boundingBox()) ?? {};
      return x + its;
    };
    /** Of the text, without the padding around it. */
    const endOfText = (one: Locator): Promise<number> =>
      one.evaluate((element) => {
        const range = element.ownerDocument.createRange();
        range.selectNodeContents(element);
        return range.getBoundingClientRect().right;
      });
    await row('plane is waiting').waitFor();
    await row('In line').waitFor();
    const clear = row('plane is waiting').getByRole('button', { name: 'Clear' });
    const ends =
      width < 640
        ? [endOf(row('plane is waiting').getByRole('button', { name: 'Approve…' })), endOfText(clear)]
        : [endOf(row('plane is waiting').locator('time')), endOf(row('In line').locator('time'))];
    const [one = 0, other = 1] = await Promise.all(ends);
    expect(Math.abs(one - other)).toBeLessThan(1);
    expect(await clear.textContent()).toBe('Clear');
    expect(await clear.evaluate((it) => it.scrollWidth <= it.clientWidth)).toBe(true);
    await shared.team.as('ada').call('rejectEnrollment', { body: { userCode, reason: null } });
    await context.close();
  });
});

it('says on the page that the link of a device opens what to compare, also to somebody without a session', async () => {
  const context = await shared.browser.newContext({ baseURL: shared.team.url });
  const page = await context.newPage();
  // The page shows any code, because it asks the broker for nothing.
  const userCode = 'BCDF-GHJK';
  await page.goto(`/enroll?code=${userCode}`);
  await page.getByText(userCode, { exact: true }).waitFor();
  await page.getByText('Go on only if your device shows the same code.', { exact: false }).waitFor();
  expect(await page.getByRole('link', { name: 'Continue to approval' }).getAttribute('href')).toBe(
    `/app/admin/machines?code=${userCode}`,
  );
  await context.close();
});
