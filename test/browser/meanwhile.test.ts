/** What somebody else does to the same thing, or to the member, while a form is open. */
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
const elsewhere = 'This device does not wait anymore: another operator has decided, or its code has expired.';

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

describe('permissions that are withdrawn', () => {
  it.each([
    { place: 'a form for a new member', path: '/app/admin/people', open: 'New member' },
    { place: 'a member', path: '/app/admin/people?member=cy', open: 'Delete cy' },
    { place: 'the health of the broker', path: '/app/admin/health', open: null },
  ])('are named, and lead out of $place', async ({ path, open }) => {
    const { page, context, errors } = await shared.open('ben', { path });
    if (open !== null) await page.getByRole('button', { name: open }).click();
    else await page.getByRole('heading', { name: 'Needs attention' }).waitFor();
    await loaded(page, 'permission-news');
    await as('ada').call('updateMember', { params: { name: 'ben' }, body: { permissions: [] } });
    try {
      await page.getByText('An operator withdrew permissions of yours').waitFor();
      await page.getByText('Manage members').first().waitFor();
      await page.getByRole('heading', { name: 'People', level: 1 }).waitFor();
      await expect.poll(() => page.getByRole('button', { name: 'New member' }).count()).toBe(0);
      // Only what was opened by hand had the focus before.
      if (open !== null)
        await expect.poll(() => page.evaluate('document.activeElement === document.body')).toBe(false);
      expect(errors.filter((one) => !one.includes('403'))).toEqual([]);
    } finally {
      await as('ada').call('updateMember', { params: { name: 'ben' }, body: { permissions: ['admin'] } });
    }
    await context.close();
  });
});
