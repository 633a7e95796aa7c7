/** The console shows what is true and nothing else: what failed, what is gone, and what is unread. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';
import { watchFor } from './testing/passing-words.ts';

let shared: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);
beforeAll(async () => {
  shared = await startConsole({ members: { ada: ['admin'], ben: ['operator'], kim: [], lin: [] } });
});
afterAll(() => shared?.stop());

const ada = () => shared.team.as('ada');
const dialog = (page: Page, name: string | RegExp) => page.getByRole('dialog', { name });
const open = async (path: string, options: { width?: number } = {}) => {
  const opened = await shared.open('ada', { path, ...options });
  return opened;
};
const said = async (body: string) =>
  (await shared.team.as('kim').call('push', { body: { to: 'ada', body } })).message;

describe('an error', () => {
  it('about a missing objective is shown, and the page does not wait for it', async () => {
    const { page, context } = await open('/app/objectives?peek=obj_0000000000');
    await dialog(page, 'Objective').getByRole('alert').waitFor();
    await context.close();
  });

  it('about a list that could not be loaded is shown in its place', async () => {
    const { page, context } = await open('/app/trust');
    await page.route(/:\d+\/(channels|briefing)(\?|$)/, (route) =>
      route.fulfill({ status: 400, body: '{}' }),
    );
    await page.goto('/app/conversations/general');
    await page.getByRole('region', { name: 'Channels' }).getByRole('alert').waitFor();
    await page.unroute(/:\d+\/(channels|briefing)(\?|$)/);
    await page.getByRole('region', { name: 'Channels' }).getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('link', { name: 'general' }).waitFor();
    await context.close();
  });

  it('about one token is not shown in the question about the next one', async () => {
    await ada().call('rotateToken', { params: { name: 'lin' } });
    const { page, context } = await open('/app/admin/people?member=lin');
    await page.route('**/tokens/**', (route) => route.abort());
    const question = page.getByRole('alertdialog', { name: /^Revoke/ });
    await page
      .getByRole('button', { name: /^Revoke/ })
      .first()
      .click();
    await question.getByRole('button', { name: 'Revoke token' }).click();
    await question.getByRole('alert').waitFor();
    await question.getByRole('button', { name: 'Cancel' }).click();
    await question.waitFor({ state: 'detached' });
    await page
      .getByRole('button', { name: /^Revoke/ })
      .first()
      .click();
    await question.waitFor();
    expect(await question.getByRole('alert').count()).toBe(0);
    await context.close();
  });

  it('about an upload is shown, also on another screen', async () => {
    const { page, context } = await open('/app/files');
    let refuse = () => {};
    const isRefused = new Promise<void>((resolve) => {
      refuse = resolve;
    });
    await page.route('**/fs/write**', async (route) => {
      await isRefused;
      await route.abort();
    });
    const choosing = page.waitForEvent('filechooser');
    await page.getByRole('button', { name: 'Upload' }).click();
    const asked = page.waitForRequest('**/fs/write**');
    await (await choosing).setFiles({ name: 'chart.txt', mimeType: 'text/plain', buffer: Buffer.from('x') });
    await asked;
    await page.getByRole('link', { name: 'Inbox', exact: true }).click();
    await page.getByRole('heading', { name: 'Inbox', level: 1 }).waitFor();
    const said = await watchFor(page, 'chart.txt could not be uploaded');
    refuse();
    await said();
    await context.close();
  });
});

describe('files', () => {
  const write = (path: string, body: string) =>
    shared.team.fetch(
      'ada',
      `/fs/write?${new URLSearchParams({ path, mime: 'text/plain', collide: 'overwrite' })}`,
      {
        method: 'POST',
        headers: { 'content-type': 'application/octet-stream' },
        body,
      },
    );

  it('of a folder that is gone are no longer shown', async () => {
    await write('/ada/old/a.txt', 'a');
    const { page, context } = await open('/app/files?path=/ada/old');
    await page.getByRole('link', { name: /^a\.txt/ }).waitFor();
    await ada().call('removeFile', { query: { path: '/ada/old', recursive: 'true' } });
    await page.getByRole('link', { name: /^a\.txt/ }).waitFor({ state: 'detached' });
    await page.getByRole('alert').waitFor();
    await context.close();
  });

  it('show their present content, also when they are open', async () => {
    await write('/ada/depth.txt', 'four metres');
    const { page, context } = await open('/app/files?path=/ada&file=/ada/depth.txt');
    await page.getByText('four metres').waitFor();
    await write('/ada/depth.txt', 'five metres');
    await page.getByText('five metres').waitFor();
    await ada().call('removeFile', { query: { path: '/ada/depth.txt' } });
    await page.getByRole('dialog').getByRole('alert').first().waitFor();
    // The page also asks who may read the file, and that request may be refused first.
    await page.getByText('five metres').waitFor({ state: 'detached' });
    await context.close();
  });

  it('without content, and two of the same name, are uploaded', async () => {
    const { page, context } = await open('/app/files?path=/ada');
    for (const name of ['empty.txt', 'empty-1.txt', 'empty (1).txt'].slice(0, 2)) {
      const choosing = page.waitForEvent('filechooser');
      await page.getByRole('button', { name: 'Upload' }).click();
      await (await choosing).setFiles({ name: 'empty.txt', mimeType: 'text/plain', buffer: Buffer.alloc(0) });
      await page.getByRole('list', { name: 'Uploads' }).waitFor({ state: 'detached' });
      await expect
        .poll(() => page.getByRole('link', { name: /^empty/ }).count())
        .toBe(name === 'empty.txt' ? 1 : 2);
    }
    await context.close();
  });
});

/** Counts what the page reports as read from now on; its timers can be advanced from now on. */
async function readReports(page: Page): Promise<() => number> {
  let reports = 0;
  page.on('request', (request) => {
    if (request.url().endsWith('/messages/read')) reports++;
  });
  await page.clock.install();
  return () => reports;
}

/** Everything that the page would report by now has been reported, because requests are observed in order. */
async function longerThanALook(page: Page): Promise<void> {
  await page.clock.runFor(5000);
  await page.evaluate(`fetch('/healthz')`);
}

describe('out of sight', () => {
  it('a message in a thread below the visible part of the page is not read before the member scrolls to it', async () => {
    const body = Array.from({ length: 60 }, (_, n) => `Step ${n}`).join('\n\n');
    const { id } = await ada().call('createObjective', {
      body: { title: 'A long way', outcome: 'Done', assignee: 'ben', body, watchers: [] },
    });
    const { page, context } = await open(`/app/objectives/${id}`);
    await page.getByText('Step 59').waitFor();
    await page.getByRole('log').waitFor();
    const reports = await readReports(page);
    await shared.team.as('ben').call('discussObjective', { params: { id }, body: { body: 'far down' } });
    await page.getByRole('log').getByText('far down').waitFor();
    await longerThanALook(page);
    expect(reports()).toBe(0);
    await page.getByLabel('Message the thread').scrollIntoViewIfNeeded();
    await expect.poll(reports).toBe(1);
    await context.close();
  });
});

describe('on a phone', () => {
  it('a message in a conversation behind the list is not read', async () => {
    const { page, context } = await open('/app/conversations/dm:kim', { width: 360 });
    const first = await said('one for the phone');
    await page.getByRole('log').getByText('one for the phone').waitFor();
    await expect
      .poll(
        async () =>
          (await ada().call('unread', {})).scopes.find(({ scope }) => scope === 'dm:kim')?.lastReadId,
      )
      .toBe(first.id);
    await page.getByRole('button', { name: 'All conversations' }).click();
    await page.getByRole('navigation', { name: 'Conversations' }).waitFor();
    const reports = await readReports(page);
    await said('behind the list');
    await page
      .getByRole('navigation', { name: 'Conversations' })
      .getByText('Unread from kim: 1', { exact: true })
      .waitFor();
    await longerThanALook(page);
    expect(reports()).toBe(0);
    await page.getByRole('navigation', { name: 'Conversations' }).getByRole('link', { name: /^kim/ }).click();
    await page.getByRole('log').getByText('behind the list').waitFor();
    await expect.poll(reports).toBe(1);
    await context.close();
  });
});

it('a device whose code has expired is no longer shown as waiting', async () => {
  let aheadMs = 0;
  const own = await startConsole({ members: { ada: ['admin'] }, clock: () => Date.now() + aheadMs });
  try {
    const { page } = await own.open('ada', { path: '/app/trust' });
    aheadMs = -590_000;
    await own.team.fetch(null, '/enroll', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ labelHint: 'a slow device' }),
    });
    await page.goto('/app');
    await page.getByText('a slow device').waitFor();
    aheadMs = 20_000;
    await page.getByText('a slow device').waitFor({ state: 'detached' });
  } finally {
    await own.stop();
  }
});
