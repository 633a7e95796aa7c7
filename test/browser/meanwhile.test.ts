/** Changes by somebody else to the subject of a form, or to the member, while the form is open. */
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';
import { loaded } from './testing/loaded.ts';

let shared: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);
beforeAll(async () => {
  shared = await startConsole({ members: { ada: ['admin'], ben: ['admin'], cy: [], dan: [] } });
});
afterAll(() => shared?.stop());

const as = (name: string) => shared.team.as(name);
const elsewhere = 'This device does not wait anymore: another manager has decided, or its code has expired.';

describe('what is decided elsewhere', () => {
  it.each([
    { act: 'Approve', field: 'Device label' },
    { act: 'Reject', field: 'Reason (optional)' },
  ])('is said in the form that would $act the device, which keeps its text', async ({ act, field }) => {
    const { userCode } = await as('ada').call('enroll', { body: { labelHint: 'laptop' } });
    const { page, context, errors } = await shared.open('ben', { path: '/app/admin/machines' });
    const row = page.getByRole('listitem').filter({ hasText: userCode });
    await row.getByRole('button', { name: `${act}…` }).click();
    const dialog = page.getByRole('dialog', { name: new RegExp(act) });
    await dialog.getByLabel(field).fill('typed');
    await as('ada').call('rejectEnrollment', { body: { userCode, reason: null } });
    await dialog.getByText(elsewhere).waitFor();
    expect(await dialog.getByLabel(field).inputValue()).toBe('typed');
    expect(errors).toEqual([]);
    await context.close();
  });

  it('is said of a held post in its item of the inbox', async () => {
    await as('ada').call('updateTeam', { body: { maxAgentHops: 1 } });
    const ask = await as('cy').call('push', { body: { body: 'and now?', causes: [] } });
    await as('dan').call('push', { body: { body: 'not yet', causes: [ask.message.id] } });
    const { page, context, errors } = await shared.open('ben');
    await page.getByRole('link', { name: /A post by dan is held/ }).click();
    const item = page.getByRole('region', { name: 'Opened item' });
    await item.getByRole('button', { name: 'Release' }).waitFor();
    const [post] = (await as('ada').call('heldPosts', {})).held;
    await as('ada').call('releaseHeld', { params: { id: post?.id ?? '' } });
    await item.getByText('This post does not wait anymore: it was released or dropped.').waitFor();
    expect(errors).toEqual([]);
    await context.close();
  });

  it('is said of an objective when it is completed again, and the text stays', async () => {
    const { id } = await as('ada').call('createObjective', {
      body: { title: 'Draw the coast', outcome: 'It is drawn', assignee: 'ben' },
    });
    const { page, context } = await shared.open('ben', { path: `/app/objectives/${id}` });
    await page.getByRole('button', { name: 'Complete', exact: true }).click();
    const dialog = page.getByRole('dialog', { name: 'Complete objective' });
    await dialog.getByLabel('Result').fill('typed');
    await as('ben').call('completeObjective', { params: { id }, body: { result: 'Drawn' } });
    await page.getByText('Drawn').first().waitFor();
    await dialog.getByRole('button', { name: 'Complete' }).click();
    await dialog.getByRole('alert').waitFor();
    expect(await dialog.getByRole('alert').textContent()).toContain('done');
    expect(await dialog.getByLabel('Result').inputValue()).toBe('typed');
    await context.close();
  });
});

describe('what the same person does in another tab', () => {
  const makeObjective = async (title: string) =>
    (await as('ada').call('createObjective', { body: { title, outcome: 'It is done', assignee: 'ben' } })).id;

  it.each([
    { act: 'Cancel objective', field: 'Reason (optional)' },
    { act: 'Reassign', field: 'Note' },
  ])('is said in the dialog of $act when the objective ends, and the text stays', async ({ act, field }) => {
    const id = await makeObjective('Sound the bay');
    const { page, context, errors } = await shared.open('ben', { path: `/app/objectives/${id}` });
    await page.locator('[data-act="more"]').click();
    await page.getByRole('menuitem', { name: act }).click();
    const dialog = page.getByRole('dialog', { name: act });
    await dialog.getByLabel(field).fill('typed');
    const other = await context.newPage();
    await other.goto(`/app/objectives/${id}`);
    await other.getByRole('button', { name: 'Complete', exact: true }).click();
    await other.getByLabel('Result').fill('Sounded');
    await other.getByRole('dialog').getByRole('button', { name: 'Complete' }).click();
    await dialog.getByText('The objective is done now, which is final.').waitFor();
    expect(await dialog.getByLabel(field).inputValue()).toBe('typed');
    // The dialog that made the change does not speak of itself.
    await other.getByRole('dialog').waitFor({ state: 'detached' });
    expect(errors).toEqual([]);
    await context.close();
  });

  it('is said in the dialogs for the assignee and the watchers', async () => {
    const id = await makeObjective('Mark the rocks');
    const { page, context, errors } = await shared.open('ben', { path: `/app/objectives/${id}` });
    const open = async (act: string) => {
      await page.locator('[data-act="more"]').click();
      await page.getByRole('menuitem', { name: act }).click();
    };
    await open('Reassign');
    await page.getByLabel('Note').fill('typed');
    await as('ben').call('reassignObjective', { params: { id }, body: { to: 'cy', note: null } });
    await page.getByRole('dialog').getByText('In the meantime, the objective was assigned to cy.').waitFor();
    expect(await page.getByLabel('Note').inputValue()).toBe('typed');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Discard' }).click();
    await open('Change watchers');
    await as('ben').call('updateWatchers', { params: { id }, body: { add: ['dan'] } });
    await page.getByRole('dialog').getByText('In the meantime, the watchers have changed.').waitFor();
    expect(errors).toEqual([]);
    await context.close();
  });

  it('is said in a dialog of the board', async () => {
    const id = await makeObjective('Light the buoy');
    const { page, context, errors } = await shared.open('ben', {
      path: '/app/objectives?view=board&status=any',
    });
    await page.getByRole('button', { name: 'Move “Light the buoy”' }).click();
    await page.getByRole('menuitem', { name: /blocked/i }).click();
    const dialog = page.getByRole('dialog', { name: 'Block objective' });
    await dialog.getByRole('textbox').fill('typed');
    await as('ben').call('completeObjective', { params: { id }, body: { result: 'Lit' } });
    await dialog.getByText('The objective is done now, which is final.').waitFor();
    expect(await dialog.getByRole('textbox').inputValue()).toBe('typed');
    expect(errors).toEqual([]);
    await context.close();
  });

  it.each(['the inbox', 'the window for approvals'])(
    'leaves what was typed for a device in %s',
    async (place) => {
      const labelHint = `the boat of ${place}`;
      const { userCode } = await as('ada').call('enroll', { body: { labelHint } });
      const isInbox = place === 'the inbox';
      const { page, context, errors } = await shared.open('ben', {
        path: isInbox ? '/app' : `/app/approve?code=${userCode}`,
      });
      if (isInbox) await page.getByRole('link', { name: new RegExp(labelHint) }).click();
      const label = page.getByLabel('Device label');
      await label.fill('typed');
      await as('ben').call('rejectEnrollment', { body: { userCode, reason: null } });
      await page.getByText(elsewhere).waitFor();
      expect(await label.inputValue()).toBe('typed');
      expect(errors).toEqual([]);
      await context.close();
    },
  );
});

/** The page may be in the middle of a request when the broker withdraws the permissions. */
const refused = /status of 40[34]/;
const takenAway = 'You may not do this anymore. Copy what you typed if you still need it.';

/** A notice may cover it for a moment, but the dialog scrolls it nowhere. */
const isInSight = (text: Locator): Promise<boolean> =>
  text.evaluate((it) => {
    const { bottom } = it.getBoundingClientRect();
    return bottom <= (it.closest('[role="dialog"]')?.getBoundingClientRect().bottom ?? 0);
  });

/** Ben loses his permissions during the work, and gets them back afterward. */
async function withoutPermissions(page: Page, work: () => Promise<void>): Promise<void> {
  await loaded(page, 'permission-news');
  await loaded(page, 'habits');
  await as('ada').call('updateMember', { params: { name: 'ben' }, body: { permissions: [] } });
  try {
    await page.getByText('A manager withdrew permissions of yours').waitFor();
    await page.getByText('Manage members').first().waitFor();
    await work();
    await expect.poll(() => page.evaluate('document.activeElement === document.body')).toBe(false);
  } finally {
    await as('ada').call('updateMember', { params: { name: 'ben' }, body: { permissions: ['admin'] } });
  }
}

describe('permissions that are withdrawn', () => {
  let objective: string;
  let channel: string;
  beforeAll(async () => {
    const made = { title: 'Chart the reef', outcome: 'It is charted', assignee: 'cy' };
    objective = (await as('ada').call('createObjective', { body: made })).id;
    channel = (await as('ada').call('createChannel', { body: { slug: 'reef' } })).id;
    await as('ada').call('enroll', { body: { labelHint: 'laptop' } });
  });

  it.each<{ place: string; path: () => string; open: string; field: string; isInMenu?: boolean }>([
    { place: 'a new member', path: () => '/app/admin/people', open: 'New member', field: 'Role description' },
    { place: 'an approval', path: () => '/app/admin/machines', open: 'Approve…', field: 'Device label' },
    { place: 'a rejection', path: () => '/app/admin/machines', open: 'Reject…', field: 'Reason (optional)' },
    { place: 'a new objective', path: () => '/app/objectives', open: 'New objective', field: 'Outcome' },
    {
      place: 'the name of a channel',
      path: () => `/app/conversations/general?channel=${channel}`,
      open: 'Rename',
      field: 'Name',
    },
    { place: 'a folder of cy', path: () => '/app/files?path=/cy', open: 'New folder', field: 'Name' },
    {
      place: 'a reason to block',
      path: () => `/app/objectives/${objective}`,
      open: 'Block objective',
      field: 'What is missing, and from whom?',
      isInMenu: true,
    },
    {
      place: 'a note for a new assignee',
      path: () => `/app/objectives/${objective}`,
      open: 'Reassign',
      field: 'Note',
      isInMenu: true,
    },
    {
      place: 'a reason to cancel',
      path: () => `/app/objectives/${objective}`,
      open: 'Cancel objective',
      field: 'Reason (optional)',
      isInMenu: true,
    },
  ])('leave what was typed for $place, and say so', async ({ path, open, field, isInMenu = false }) => {
    const { page, context, errors } = await shared.open('ben', { path: path() });
    if (isInMenu) await page.locator('[data-act="more"]').click();
    await page
      .getByRole(isInMenu ? 'menuitem' : 'button', { name: open })
      .first()
      .click();
    const text = page.getByRole('dialog').getByLabel(field, { exact: true });
    await text.fill('typed');
    await withoutPermissions(page, async () => {
      await page.getByRole('dialog').getByText(takenAway).waitFor();
      expect(await isInSight(page.getByRole('dialog').getByText(takenAway))).toBe(true);
      expect(await text.inputValue()).toBe('typed');
    });
    expect(errors.filter((one) => !refused.test(one))).toEqual([]);
    await context.close();
  });

  it('leave the typed instructions of a member, and nothing that only operators read', async () => {
    const instructions = 'Only for cy and operators';
    await as('ada').call('updateMember', { params: { name: 'cy' }, body: { instructions } });
    const { page, context, errors } = await shared.open('ben', { path: '/app/admin/people?member=cy' });
    const panel = page.getByRole('region', { name: 'Member cy' });
    await panel.getByLabel('Role description').fill('Draws the coast');
    await withoutPermissions(page, async () => {
      await panel.getByText(takenAway).waitFor();
      expect(await panel.getByLabel('Role description').inputValue()).toBe('Draws the coast');
      expect(await panel.getByLabel('Instructions').count()).toBe(0);
      expect(await panel.getByRole('button', { name: 'Save' }).count()).toBe(0);
    });
    expect(errors.filter((one) => !refused.test(one))).toEqual([]);
    await context.close();
  });

  it.each([
    { place: 'a question about a member', path: 'people?member=cy', press: 'Delete cy', isOpened: true },
    { place: 'Health', path: 'health', press: 'Download diagnostics', isOpened: false },
    { place: 'Network', path: 'network', press: 'Connect a platform', isOpened: false },
    { place: 'Backup', path: 'backup', press: 'Copy', isOpened: false },
    { place: 'Audit', path: 'audit', press: 'Export', isOpened: false },
  ])('lead out of $place, and leave the focus on the page', async ({ path, press, isOpened }) => {
    const { page, context, errors } = await shared.open('ben', { path: `/app/admin/${path}` });
    const button = page.getByRole('button', { name: press, disabled: false }).first();
    if (isOpened) await button.click();
    else await button.focus();
    await withoutPermissions(page, async () => {
      await page.getByRole('heading', { name: 'People', level: 1 }).waitFor();
      await expect.poll(() => page.getByRole('button', { name: 'New member' }).count()).toBe(0);
    });
    expect(errors.filter((one) => !refused.test(one))).toEqual([]);
    await context.close();
  });

  it.each([
    { place: 'a filter', path: () => '/app/admin/audit', list: 'Kind' },
    {
      place: 'a dialog',
      path: () => `/app/conversations/general?channel=${channel}`,
      list: 'Add a member',
    },
  ])('close an open list of $place, and leave the focus on the page', async ({ path, list }) => {
    const { page, context, errors } = await shared.open('ben', { path: path() });
    await page.getByRole('combobox', { name: list }).click();
    await page.getByRole('option').first().waitFor();
    await withoutPermissions(page, async () => {
      await expect.poll(() => page.getByRole('option').count()).toBe(0);
    });
    expect(errors.filter((one) => !refused.test(one))).toEqual([]);
    await context.close();
  });
});
