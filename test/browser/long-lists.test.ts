/** The console in a team whose lists have more than a page: what it asks for, and what a person still reaches. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limits } from '#protocol/limits.ts';
import { choose } from './testing/choose.ts';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';

const objectives = 250;
let shared: ConsoleTeam;
/** Its title has a word that no other objective has. */
let oldest: { id: string; title: string };
showPagesOfFailures(() => shared?.browser);

const newObjective = (title: string, assignee = 'ben') =>
  shared.team.as('ada').call('createObjective', {
    body: { title, outcome: 'It is done', assignee, body: '', watchers: ['cy'] },
  });

beforeAll(async () => {
  const many = Array.from({ length: limits.listPageMax }, (_, n) => [`pilot-${n}`, []]);
  const members = { ada: ['admin'], ben: [], cy: [], ...Object.fromEntries(many), zoe: [] };
  shared = await startConsole({ members });
  oldest = await newObjective('Chart the lagoon');
  for (let from = 1; from < objectives; from += 50)
    await Promise.all(
      Array.from({ length: Math.min(50, objectives - from) }, (_, n) => newObjective(`Sounding ${from + n}`)),
    );
});
afterAll(() => shared?.stop());

const lists = ['/objectives', '/roster', '/members', '/channels', '/fs/ls', '/fs/shared'];

/** Returns the addresses of lists that the page has asked for without a limit, kept up to date. */
function wholeListsOf(page: Page): string[] {
  const asked: string[] = [];
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (lists.includes(pathname) && !searchParams.has('limit')) asked.push(pathname);
  });
  return asked;
}

const listed = (page: Page) => page.getByRole('list', { name: 'Objectives' });
const loadMore = (page: Page) => page.getByRole('button', { name: 'Load more' });

it('a team with more members than a page is listed whole', async () => {
  const { page, context, errors } = await shared.open('ada', { path: '/app/admin/people' });
  await page.getByLabel('Filter members').fill('zoe');
  await page.getByRole('link', { name: /^zoe/ }).waitFor();
  await page.goto(`${shared.team.url}/app/conversations/dm:zoe`);
  await page.getByRole('textbox', { name: 'Message zoe' }).waitFor();
  expect(errors).toEqual([]);
  await context.close();
});

it('a folder with more entries than a page is reached page by page', async () => {
  const ben = shared.team.as('ben');
  const entries = 201;
  await Promise.all(
    Array.from({ length: entries }, (_, n) =>
      ben.call('makeDirectory', {
        body: { path: `/ben/sheets/sheet-${String(n).padStart(3, '0')}`, recursive: true },
      }),
    ),
  );
  const { page, context, errors } = await shared.open('ben', { path: '/app/files?path=/ben/sheets' });
  const files = page.getByRole('list', { name: 'Files' });
  await page.getByText('The first 200 entries by name are loaded, and sorted among themselves.').waitFor();
  await loadMore(page).click();
  await loadMore(page).waitFor({ state: 'detached' });
  await files.locator('..').evaluate((scroller) => scroller.scrollTo(0, scroller.scrollHeight));
  await files.getByText('sheet-200').waitFor();
  expect(errors).toEqual([]);
  await context.close();
});

describe('a team with more objectives than a page', () => {
  it('reaches the oldest one by keyboard, page by page', async () => {
    const { page, context, errors } = await shared.open('ada', { path: '/app/objectives' });
    await page.getByText('100 of the newest 100').waitFor();
    await loadMore(page).focus();
    await page.keyboard.press('Enter');
    await page.getByText('200 of the newest 200').waitFor();
    await page.keyboard.press('Enter');
    await page.getByText(`${objectives} of ${objectives}`).waitFor();
    expect(await loadMore(page).count()).toBe(0);
    await listed(page)
      .locator('..')
      .evaluate((scroller) => scroller.scrollTo(0, scroller.scrollHeight));
    await listed(page).getByRole('link', { name: oldest.title }).waitFor();
    expect(errors).toEqual([]);
    await context.close();
  });

  it('filters by status and assignee at the broker, and by text what is loaded', async () => {
    const { page, context, errors } = await shared.open('ada', { path: '/app/objectives?status=open' });
    await page.getByText('100 of the newest 100').waitFor();
    await page.getByLabel('Filter objectives').fill('lagoon');
    await page.getByText('None of the newest 100 objectives matches the filter').waitFor();
    await page.getByRole('link', { name: 'Search all' }).click();
    await page
      .getByRole('link', { name: `in ${oldest.title}` })
      .first()
      .waitFor();
    const { id } = await newObjective('Paint the buoy', 'cy');
    await page.goto(`${shared.team.url}/app/objectives?assignee=cy&status=any`);
    await page.getByText('1 of 1').waitFor();
    await shared.team.as('cy').call('completeObjective', { params: { id }, body: { result: 'red' } });
    await listed(page).getByRole('img', { name: 'done' }).waitFor();
    expect(errors).toEqual([]);
    await context.close();
  });

  it('shows an old objective that comes into the list and leaves it', async () => {
    const { page, context } = await shared.open('ada', { path: '/app/objectives?status=blocked' });
    await page.getByText('No blocked objectives').waitFor();
    const update = (body: { status: 'blocked'; blockReason: string } | { status: 'active' }) =>
      shared.team.as('ben').call('updateObjective', { params: { id: oldest.id }, body });
    await update({ status: 'blocked', blockReason: 'fog' });
    await listed(page).getByRole('link', { name: oldest.title }).waitFor();
    await update({ status: 'active' });
    await page.getByText('No blocked objectives').waitFor();
    await context.close();
  });

  it('finds an old objective in the palette', async () => {
    const { page, context, errors } = await shared.open('ada');
    await page.getByRole('heading', { name: 'Inbox' }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: /^Search screens/ }).fill('lagoon');
    await page.getByRole('option', { name: new RegExp(`^${oldest.title}`) }).click();
    await page.getByRole('heading', { name: oldest.title }).waitFor();
    expect(errors).toEqual([]);
    await context.close();
  });

  it('names an old objective by its title, and asks for no whole list on any screen', async () => {
    await shared.team.as('ada').call('updateTeam', { body: { maxAgentHops: 1 } });
    const params = { id: oldest.id };
    const post = (member: string, body: string, causes: string[]) =>
      shared.team.as(member).call('discussObjective', { params, body: { body, causes } });
    const ask = await post('ben', 'who has the plumb line?', []);
    await post('cy', 'I do', [ask.id]);
    const { page, context, errors } = await shared.open('ada', { path: '/app/admin/team' });
    const asked = wholeListsOf(page);
    const visit = async (path: string, text: string) => {
      await page.goto(`${shared.team.url}${path}`);
      await page.getByText(text).first().waitFor();
    };
    await visit('/app', `A post by cy is held in ${oldest.title}`);
    await page.getByRole('heading', { name: 'Since you were here' }).waitFor();
    await visit('/app/conversations/general', oldest.title);
    await visit(`/app/conversations/obj:${oldest.id}`, 'who has the plumb line?');
    await page.getByRole('heading', { name: oldest.title }).waitFor();
    await visit('/app/objectives?view=board', 'The newest 100 are loaded.');
    await page.goto(`${shared.team.url}/app/activity?member=ben&objective=${oldest.id}`);
    await page
      .getByRole('link', { name: /^objective opened/ })
      .first()
      .waitFor();
    await choose(page, 'Objective', oldest.title);
    await visit('/app/admin/people', 'zoe');
    await visit('/app/channels', 'general');
    await visit('/app/files', 'No files');
    await visit('/app/files?shared=true', 'No shared files');
    expect(asked).toEqual([]);
    expect(errors).toEqual([]);
    await context.close();
  });
});
