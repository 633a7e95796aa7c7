/** The list of conversations: what is unread comes first, and the member arranges the rest. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';

let shared: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);
beforeAll(async () => {
  shared = await startConsole({
    members: { ada: ['admin'], ben: [], cy: [], dan: [], eve: ['admin'], finn: ['admin'] },
  });
});
afterAll(() => shared?.stop());

const list = (page: Page) => page.getByRole('navigation', { name: 'Conversations' });
const section = (page: Page, name: string) => list(page).getByRole('region', { name });
const link = (page: Page, name: RegExp) => list(page).getByRole('link', { name });
const tell = (from: string, to: string | null, body: string) =>
  shared.team.as(from).call('push', { body: { to, body } });
const countsOf = async (member: string) =>
  Object.fromEntries(
    (await shared.team.as(member).call('unread', {})).scopes.map(({ scope, count }) => [scope, count]),
  );
async function choose(page: Page, item: string): Promise<void> {
  await page.getByRole('button', { name: 'Options of this conversation' }).click();
  await page.getByRole('menuitem', { name: item }).click();
}

it('shows unread conversations first, direct ones before others, and marks all as read until this is undone', async () => {
  await tell('ben', null, 'For everyone');
  await tell('ben', 'ada', 'Only for ada');
  const { page, context, errors } = await shared.open('ada', { path: '/app/conversations/dm:cy' });
  const unread = section(page, 'Unread');
  await unread.getByRole('link', { name: /^ben/ }).waitFor();
  await expect
    .poll(() => unread.getByRole('link').allTextContents())
    .toEqual([expect.stringContaining('ben'), expect.stringContaining('general')]);
  expect(await link(page, /^ben/).count()).toBe(1);
  await list(page).getByRole('button', { name: 'Mark all as read' }).click();
  await unread.waitFor({ state: 'detached' });
  expect(await countsOf('ada')).toMatchObject({ general: 0, 'dm:ben': 0 });
  await page.getByRole('button', { name: 'Undo' }).click();
  await unread.getByRole('link', { name: /^ben/ }).waitFor();
  await expect.poll(() => countsOf('ada')).toMatchObject({ general: 1, 'dm:ben': 1 });
  expect(errors).toEqual([]);
  await context.close();
});

it('keeps an unread conversation in its place while it is open', async () => {
  await tell('cy', 'finn', 'Read me');
  const { page, context, errors } = await shared.open('finn', { path: '/app/conversations/dm:dan' });
  await section(page, 'Unread').getByRole('link', { name: /^cy/ }).click();
  await expect.poll(async () => (await countsOf('finn'))['dm:cy']).toBe(0);
  await section(page, 'Unread').getByRole('link', { name: /^cy/ }).waitFor();
  await link(page, /^dan/).click();
  await section(page, 'Direct messages').getByRole('link', { name: /^cy/ }).waitFor();
  expect(errors).toEqual([]);
  await context.close();
});

it('leaves an open conversation where it was among the unread ones when its mentions are read', async () => {
  const names = ['alpha', 'beta'];
  const ids: string[] = [];
  for (const slug of names) {
    const { id } = await shared.team.as('ben').call('createChannel', { body: { slug } });
    await shared.team.as('finn').call('joinChannel', { params: { slug }, body: { member: 'finn' } });
    const data = { thread: `chan:${id}` } as const;
    await shared.team.as('ben').call('push', { body: { to: null, body: '@finn, look', data } });
    ids.push(id);
  }
  const { page, context } = await shared.open('finn', { path: '/app/conversations/dm:dan' });
  const unread = section(page, 'Unread').getByRole('link');
  const [first, second] = ['alpha', 'beta'].map((name) => expect.stringContaining(name));
  await expect.poll(() => unread.allTextContents()).toEqual(expect.arrayContaining([first, second]));
  const before = (await unread.allTextContents()).map((text) => /alpha|beta/.exec(text)?.[0]);
  const opened = before.find((name) => name !== undefined) ?? '';
  await link(page, new RegExp(`^${opened}`)).click();
  await expect.poll(async () => (await countsOf('finn'))[`chan:${ids[names.indexOf(opened)]}`]).toBe(0);
  await section(page, 'Unread')
    .getByText(`Unread in ${opened}, mentioning you`)
    .waitFor({ state: 'detached' });
  expect((await unread.allTextContents()).map((text) => /alpha|beta/.exec(text)?.[0])).toEqual(before);
  await context.close();
});

it('shows no badge for a muted conversation unless the member is mentioned', async () => {
  const { page, context, errors } = await shared.open('eve', { path: '/app/conversations/dm:ben' });
  await choose(page, 'Mute');
  await link(page, /^ben.*muted/).waitFor();
  await page.reload();
  await link(page, /^ben.*muted/).waitFor();
  await link(page, /^dan/).click();
  await page.getByRole('heading', { name: 'dan', level: 1 }).waitFor();
  await tell('ben', 'eve', 'Nothing important');
  await tell('cy', 'eve', 'Hello');
  await list(page).getByText('Unread from cy: 1', { exact: true }).waitFor();
  expect(
    await list(page)
      .getByText(/Unread from ben/)
      .count(),
  ).toBe(0);
  const main = page.getByRole('navigation', { name: 'Main' });
  await main.getByText('Unread direct messages and mentions: 1', { exact: true }).waitFor();
  await tell('ben', 'eve', 'Now, @eve');
  await list(page).getByText('Unread from ben: 1', { exact: true }).waitFor();
  await main.getByText('Unread direct messages and mentions: 2', { exact: true }).waitFor();
  expect(errors).toEqual([]);
  await context.close();
});

it('keeps favorites above the rest, and sections collapsed, after a reload', async () => {
  const { page, context, errors } = await shared.open('dan', { path: '/app/conversations/dm:cy' });
  await choose(page, 'Add to favorites');
  await section(page, 'Favorites').getByRole('link', { name: /^cy/ }).waitFor();
  expect(await link(page, /^cy/).count()).toBe(1);
  await list(page).getByRole('button', { name: 'Direct messages' }).click();
  await link(page, /^finn/).waitFor({ state: 'detached' });
  await page.reload();
  await section(page, 'Favorites').getByRole('link', { name: /^cy/ }).waitFor();
  expect(await link(page, /^finn/).count()).toBe(0);
  await list(page).getByRole('button', { name: 'Direct messages' }).click();
  await link(page, /^finn/).waitFor();
  await choose(page, 'Remove from favorites');
  await section(page, 'Direct messages').getByRole('link', { name: /^cy/ }).waitFor();
  expect(errors).toEqual([]);
  await context.close();
});

it('scrolls by itself when it is longer than the screen, and not the whole page', async () => {
  await Promise.all(
    Array.from({ length: 40 }, async (_, n) => {
      const title = `Survey ${n}`;
      await shared.team.as('eve').call('createObjective', {
        body: { title, outcome: 'Done', assignee: 'finn', body: '', watchers: [] },
      });
    }),
  );
  const { page, context } = await shared.open('finn', { path: '/app/conversations/general' });
  await link(page, /Survey 39/).waitFor();
  expect(await list(page).evaluate((one) => one.scrollHeight > one.clientHeight)).toBe(true);
  const below = 'document.scrollingElement.scrollHeight - document.scrollingElement.clientHeight';
  expect(await page.evaluate(below)).toBe(0);
  await context.close();
});
