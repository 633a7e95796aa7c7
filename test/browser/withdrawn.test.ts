/** The content that a page still shows after an operator withdrew the right to read it. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { http } from '../../broker/features/activity/testing/activity-team.ts';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';
import { loaded } from './testing/loaded.ts';

let shared: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);
beforeAll(async () => {
  shared = await startConsole({ members: { ada: ['admin'], ben: ['admin'], cy: [], dan: [], eva: [] } });
  await write('cy', '/cy/notes/plan.txt');
});
afterAll(() => shared?.stop());

const as = (name: string) => shared.team.as(name);
const secret = 'Only for those who may read it';
async function write(name: string, path: string): Promise<void> {
  const reply = await shared.team.fetch(name, `/fs/write?path=${path}`, { method: 'POST', body: secret });
  expect(reply.status).toBe(200);
}

/** The page asks again for what it shows, and the broker refuses. */
const refused = /status of 40[34]/;

/** Ben loses his permissions during the work, and gets them back afterward. */
async function withoutPermissions(page: Page, work: () => Promise<void>): Promise<void> {
  await loaded(page, 'permission-news');
  await as('ada').call('updateMember', { params: { name: 'ben' }, body: { permissions: [] } });
  try {
    await page.getByText('A manager withdrew permissions of yours').waitFor();
    await work();
    await expect.poll(() => page.evaluate('document.activeElement === document.body')).toBe(false);
  } finally {
    await as('ada').call('updateMember', { params: { name: 'ben' }, body: { permissions: ['admin'] } });
  }
}

describe('without the permission', () => {
  it('closes an open file of another member, and says why', async () => {
    const path = '/app/files?path=/cy/notes&file=/cy/notes/plan.txt';
    const { page, context, errors } = await shared.open('ben', { path });
    await page.getByText(secret).waitFor();
    await withoutPermissions(page, async () => {
      await page.getByRole('dialog').getByRole('alert').waitFor();
      expect(await page.getByText(secret).count()).toBe(0);
      await page.keyboard.press('Escape');
      await page.getByRole('main').getByRole('alert').waitFor();
      expect(await page.getByRole('list', { name: 'Files' }).count()).toBe(0);
    });
    expect(errors.filter((one) => !refused.test(one))).toEqual([]);
    await context.close();
  });

  it('closes the content of an open row of another member’s activity', async () => {
    const events = [http(Date.now(), '', { host: 'secret.example' })] as never;
    await as('cy').call('uploadActivity', { params: { name: 'cy' }, body: { events } });
    const { activity } = await as('cy').call('activitySummaries', { params: { name: 'cy' }, query: {} });
    const { page, context, errors } = await shared.open('ben', {
      path: `/app/activity?member=cy&row=${activity[0]?.id}`,
    });
    await page.getByRole('dialog').getByText('secret.example').waitFor();
    await withoutPermissions(page, async () => {
      await page.getByRole('dialog').getByRole('alert').waitFor();
      await expect.poll(() => page.getByText('secret.example').count()).toBe(0);
    });
    expect(errors.filter((one) => !refused.test(one))).toEqual([]);
    await context.close();
  });

  it('says nothing more about failed logins', async () => {
    const body = JSON.stringify({ code: '000000', member: 'cy' });
    const headers = { 'content-type': 'application/json' };
    for (let times = 0; times < 20; times++)
      await fetch(`${shared.team.url}/session/totp`, { method: 'POST', headers, body });
    const { page, context, errors } = await shared.open('ben');
    const banner = page.getByText(/failed logins from/);
    await banner.waitFor();
    await page.keyboard.press('Tab');
    await withoutPermissions(page, async () => {
      await banner.waitFor({ state: 'detached' });
    });
    expect(errors.filter((one) => !refused.test(one))).toEqual([]);
    await context.close();
  });

  it('keeps a new token that is shown once until it is closed', async () => {
    const { page, context, errors } = await shared.open('ben', { path: '/app/admin/people?member=eva' });
    await page.getByRole('button', { name: 'Replace all tokens…' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Replace all tokens of eva' }).click();
    const token = page.getByRole('dialog').getByLabel('Token', { exact: true });
    const shown = await token.inputValue();
    await withoutPermissions(page, async () => {
      await page.locator('section[aria-label="Tokens and devices"]').waitFor({ state: 'detached' });
      expect(await token.inputValue()).toBe(shown);
      await page.getByRole('button', { name: 'I have copied the token' }).click();
      await token.waitFor({ state: 'detached' });
    });
    expect(errors.filter((one) => !refused.test(one))).toEqual([]);
    await context.close();
  });

  it('keeps what was typed to connect a platform, and hides the addresses of the broker', async () => {
    const { page, context, errors } = await shared.open('ben', { path: '/app/admin/network' });
    await page.getByRole('button', { name: 'Connect a platform…' }).click();
    const address = page.getByLabel('Platform address');
    await address.fill('https://platform.example');
    await withoutPermissions(page, async () => {
      await page
        .getByText('You may not do this anymore. Copy what you typed if you still need it.')
        .waitFor();
      expect(await address.inputValue()).toBe('https://platform.example');
      expect(await page.getByRole('region', { name: 'Addresses' }).count()).toBe(0);
      expect(await page.getByRole('button', { name: /^Connect and let/ }).count()).toBe(0);
      await page.getByRole('link', { name: 'Objectives' }).click();
      await page.getByRole('alertdialog').getByRole('button', { name: 'Discard' }).click();
      await page.getByRole('heading', { name: 'Objectives', level: 1 }).waitFor();
    });
    expect(errors.filter((one) => !refused.test(one))).toEqual([]);
    await context.close();
  });
});

describe('a shared file that is open', () => {
  it.each([
    {
      where: 'channel',
      share: async () => {
        const { id } = await as('ada').call('createChannel', { body: { slug: 'reef' } });
        await as('ada').call('joinChannel', { params: { slug: 'reef' }, body: { member: 'dan' } });
        await as('ada').call('joinChannel', { params: { slug: 'reef' }, body: { member: 'cy' } });
        const body = { body: 'see', data: { thread: `chan:${id}` }, attachments: ['/cy/reef.txt'] };
        await write('cy', '/cy/reef.txt');
        await as('cy').call('push', { body });
        return { path: '/cy/reef.txt' };
      },
      leave: () => as('ada').call('leaveChannel', { params: { slug: 'reef', name: 'dan' } }),
    },
    {
      where: 'thread of an objective',
      share: async () => {
        const made = { title: 'Chart it', outcome: 'Charted', assignee: 'cy', watchers: ['dan'] };
        const { id } = await as('ada').call('createObjective', { body: made });
        await write('cy', '/cy/chart.txt');
        const body = { body: 'see', attachments: ['/cy/chart.txt'] };
        await as('cy').call('discussObjective', { params: { id }, body });
        objective = id;
        return { path: '/cy/chart.txt' };
      },
      leave: () => as('ada').call('updateWatchers', { params: { id: objective }, body: { remove: ['dan'] } }),
    },
  ])('is closed when the member leaves the $where', async ({ share, leave }) => {
    const { path } = await share();
    const { page, context, errors } = await shared.open('dan', {
      path: `/app/files?shared=true&file=${path}`,
    });
    await page.getByText(secret).waitFor();
    await leave();
    await page.getByRole('dialog').getByRole('alert').waitFor();
    expect(await page.getByText(secret).count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.getByText('No shared files').waitFor();
    expect(errors.filter((one) => !refused.test(one))).toEqual([]);
    await context.close();
  });
});
let objective = '';
