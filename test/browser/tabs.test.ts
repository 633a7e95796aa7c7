/** Several tabs of one browser share one live stream, whichever of them is closed, suspended, or opened late. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';

let shared: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);
beforeAll(async () => {
  shared = await startConsole({
    members: { ada: ['admin'], ben: [], kim: [], lin: [], max: [] },
    onDisk: true,
  });
  await say('the first message');
});
afterAll(() => shared?.stop());

const path = '/app/conversations/general';
const say = (body: string) => shared.team.as('ada').call('push', { body: { body } });
const shows = (page: Page, body: string) => page.getByRole('log').getByText(body, { exact: true }).waitFor();
const streamsOf = async (name: string) => {
  const { connected } = await shared.team.as('ada').call('roster', {});
  return connected.find((one) => one.name === name)?.connected ?? 0;
};

/** The first of the pages reads the stream. */
async function openTabs(member: string, count: number): Promise<Page[]> {
  const { page, context } = await shared.open(member, { path });
  await page.getByRole('log').waitFor();
  await expect.poll(() => streamsOf(member)).toBe(1);
  const pages = [page];
  while (pages.length < count) {
    const next = await context.newPage();
    await next.goto(path);
    await next.getByRole('log').waitFor();
    pages.push(next);
  }
  return pages;
}

describe('the tabs of a browser', () => {
  it('are all live, and more of them than a browser opens connections', async () => {
    const pages = await openTabs('ben', 8);
    await say('for eight tabs');
    for (const page of pages) await shows(page, 'for eight tabs');
    expect(await streamsOf('ben')).toBe(1);
    await pages[0]?.context().close();
  });

  it('miss nothing when the tab that reads the stream is closed, or loaded again', async () => {
    const [first, second, third] = await openTabs('kim', 3);
    await say('before');
    await shows(third as Page, 'before');
    await first?.close();
    await say('while nobody may be reading');
    for (const page of [second, third] as Page[]) await shows(page, 'while nobody may be reading');
    await second?.reload();
    await say('after one was loaded again');
    for (const page of [second, third] as Page[]) await shows(page, 'after one was loaded again');
    await expect.poll(() => streamsOf('kim')).toBe(1);
    await third?.context().close();
  });

  it('go on without a tab that the browser suspended, which catches up when it wakes', async () => {
    const [first, second] = (await openTabs('lin', 2)) as [Page, Page];
    const control = await first.context().newCDPSession(first);
    // A paused page runs nothing, as a suspended one.
    await control.send('Debugger.enable');
    await control.send('Debugger.pause');
    await say('while one is suspended');
    await shows(second, 'while one is suspended');
    await control.send('Debugger.disable');
    await shows(first, 'while one is suspended');
    await say('after it woke');
    for (const page of [first, second]) await shows(page, 'after it woke');
    await expect.poll(() => streamsOf('lin')).toBe(1);
    await first.context().close();
  });

  it('all say that the broker is away, and are live again after it', async () => {
    const pages = await openTabs('max', 3);
    const banner = (page: Page) =>
      page.getByText('The broker cannot be reached. This page', { exact: false });
    await shared.team.restart(async () => {
      for (const page of pages) await banner(page).waitFor();
    });
    for (const page of pages) await banner(page).waitFor({ state: 'detached' });
    await say('after the restart');
    for (const page of pages) await shows(page, 'after the restart');
    await pages[0]?.context().close();
  });
});
