/** The list of objectives: what it opens on, how it is arranged, and which views a member keeps. */
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { choose } from './testing/choose.ts';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { cutContent } from './testing/cut-content.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';

let shared: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);

const as = (name: string) => shared.team.as(name);
const ask = async (originator: string, assignee: string, title: string, outcome = 'It is drawn') => {
  const { id } = await as(originator).call('createObjective', {
    body: { title, outcome, assignee, body: '' },
  });
  return id;
};
const complete = (assignee: string, id: string) =>
  as(assignee).call('completeObjective', { params: { id }, body: { result: 'drawn' } });
const block = (assignee: string, id: string) =>
  as(assignee).call('updateObjective', {
    params: { id },
    body: { status: 'blocked', blockReason: 'No boat' },
  });

beforeAll(async () => {
  shared = await startConsole({
    members: { ada: ['admin'], ben: ['operator'], kim: [], lin: ['operator'] },
  });
  await ask('ada', 'kim', 'Anchor the buoy');
  await block('kim', await ask('ben', 'kim', 'Chart the bay'));
  await complete('ben', await ask('ada', 'ben', 'Dredge the canal'));
  await ask(
    'ben',
    'ben',
    'Build the pier',
    '# Outcome\n- the **pier** stands, see [the plan](https://x.example)',
  );
});
afterAll(() => shared?.stop());

const list = (page: Page) => page.getByRole('list', { name: 'Objectives' });
const titles = (page: Page) => list(page).locator('[data-title]').allTextContents();
const groups = (page: Page) => list(page).getByRole('heading').allTextContents();
const views = (page: Page) => page.getByRole('navigation', { name: 'Views' });

describe('the objectives screen', () => {
  it('opens on what is open, and shows everything when asked to', async () => {
    const { page, context, errors } = await shared.open('ada', { path: '/app/objectives' });
    await expect.poll(() => titles(page)).toEqual(['Chart the bay', 'Build the pier', 'Anchor the buoy']);
    await views(page).getByRole('link', { name: 'All', exact: true }).click();
    await expect.poll(() => titles(page)).toContain('Dredge the canal');
    await page.goBack();
    await expect.poll(() => titles(page)).not.toContain('Dredge the canal');
    expect(errors).toEqual([]);
    await context.close();
  });

  it('groups and sorts what is loaded, and keeps both in its address', async () => {
    const { page, context } = await shared.open('ada', { path: '/app/objectives?status=any' });
    await choose(page, 'Sort by', 'By title');
    await expect
      .poll(() => titles(page))
      .toEqual(['Anchor the buoy', 'Build the pier', 'Chart the bay', 'Dredge the canal']);
    await choose(page, 'Group by', 'Group by assignee');
    await expect.poll(() => groups(page)).toEqual(['ben 2', 'kim 2']);
    await expect
      .poll(() => titles(page))
      .toEqual(['Build the pier', 'Dredge the canal', 'Anchor the buoy', 'Chart the bay']);
    await page.reload();
    await expect.poll(() => groups(page)).toEqual(['ben 2', 'kim 2']);
    await choose(page, 'Group by', 'Group by status');
    await expect.poll(() => groups(page)).toEqual(['blocked 1', 'active 2', 'done 1']);
    await choose(page, 'Group by', 'Group by originator');
    await choose(page, 'Sort by', 'Last updated first');
    await expect
      .poll(() => titles(page))
      .toEqual(['Dredge the canal', 'Anchor the buoy', 'Build the pier', 'Chart the bay']);
    await context.close();
  });

  it('keeps a view on the device, for its member, until it is deleted', async () => {
    const { page, context } = await shared.open('ada', {
      path: '/app/objectives?assignee=kim&sort=title&group=status',
    });
    await views(page).getByRole('button', { name: 'Save view' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Of kim');
    await page.keyboard.press('Enter');
    const kept = (name: string) => views(page).getByRole('link', { name, exact: true });
    await kept('Of kim').waitFor();
    await expect.poll(() => page.locator(':focus').textContent()).toBe('Of kim');
    expect(await kept('Of kim').getAttribute('aria-current')).toBe('page');
    await kept('Open').click();
    await expect.poll(() => titles(page)).toContain('Build the pier');
    await page.reload();
    await kept('Of kim').click();
    await expect.poll(() => titles(page)).toEqual(['Chart the bay', 'Anchor the buoy']);
    await views(page).getByRole('button', { name: 'Change the view' }).click();
    await page.getByRole('menuitem', { name: 'Rename' }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('Of the pilot');
    await page.keyboard.press('Enter');
    await kept('Of the pilot').waitFor();
    expect(await kept('Of kim').count()).toBe(0);
    await views(page).getByRole('button', { name: 'Change the view' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await kept('Of the pilot').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await kept('Of the pilot').waitFor();
    await context.close();
  });

  it('shows exactly what a link says, and clears its filter on request', async () => {
    const { page, context } = await shared.open('ben', { path: '/app/objectives?status=blocked' });
    await expect.poll(() => titles(page)).toEqual(['Chart the bay']);
    await page.goto(`${shared.team.url}/app/objectives?originator=ada&status=any`);
    await expect.poll(() => titles(page)).toEqual(['Dredge the canal', 'Anchor the buoy']);
    await page.goto(`${shared.team.url}/app/objectives?status=blocked&assignee=ben`);
    await page.getByRole('button', { name: 'Clear the filter' }).click();
    await expect.poll(() => titles(page)).toEqual(['Chart the bay', 'Build the pier', 'Anchor the buoy']);
    await context.close();
  });

  it('has the views Mine, Open, Blocked, Done, and All, as a list and as a board', async () => {
    const { page, context, errors } = await shared.open('ben', { path: '/app/objectives' });
    const shown = {
      list: () => titles(page),
      board: () => page.locator('[data-card] > :first-child').allTextContents(),
    };
    await expect
      .poll(() => views(page).getByRole('link').allTextContents())
      .toEqual(['Mine', 'Open', 'Blocked', 'Done', 'All']);
    for (const [layout, titlesIn] of Object.entries(shown)) {
      await page.getByRole('button', { name: layout === 'list' ? 'List' : 'Board' }).click();
      for (const [view, wanted] of [
        ['Mine', ['Build the pier']],
        ['Open', ['Anchor the buoy', 'Build the pier', 'Chart the bay']],
        ['Blocked', ['Chart the bay']],
        ['Done', ['Dredge the canal']],
        ['All', ['Anchor the buoy', 'Build the pier', 'Chart the bay', 'Dredge the canal']],
      ] as const) {
        const link = views(page).getByRole('link', { name: view, exact: true });
        await link.click();
        await expect.poll(async () => (await titlesIn()).toSorted()).toEqual(wanted);
        expect(await link.getAttribute('aria-current')).toBe('page');
      }
    }
    const { page: other, context: own } = await shared.open('lin', { path: '/app/objectives' });
    await views(other).getByRole('link', { name: 'Mine', exact: true }).click();
    await other.getByRole('heading', { name: 'No open objective is assigned to you' }).waitFor();
    await own.close();
    await page.goto('/app/objectives?assignee=ben');
    await expect.poll(() => views(page).locator('[aria-current=page]').allTextContents()).toEqual(['Mine']);
    expect(errors).toEqual([]);
    await context.close();
  });

  it('groups what is open by status, blocked first, until somebody chooses otherwise', async () => {
    const { page, context } = await shared.open('ada', { path: '/app/objectives' });
    await expect.poll(() => groups(page)).toEqual(['blocked 1', 'active 2']);
    await choose(page, 'Group by', 'No groups');
    await expect.poll(() => titles(page)).toEqual(['Build the pier', 'Chart the bay', 'Anchor the buoy']);
    expect(await groups(page)).toEqual([]);
    await page.reload();
    await expect.poll(() => titles(page)).toEqual(['Build the pier', 'Chart the bay', 'Anchor the buoy']);
    await page.goto('/app/objectives?assignee=ben');
    await expect.poll(() => titles(page)).toEqual(['Build the pier']);
    expect(await groups(page)).toEqual([]);
    await context.close();
  });

  it('names the columns, shows the status as an icon with a name, and the outcome in one line without marks', async () => {
    const { page, context } = await shared.open('ada', { path: '/app/objectives?status=any' });
    for (const name of ['Title', 'Assignee', 'Originator', 'Updated'])
      await page.getByText(name, { exact: true }).filter({ visible: true }).first().waitFor();
    const row = (title: string) => list(page).getByRole('link', { name: new RegExp(title) });
    await row('Build the pier').getByText('Outcome the pier stands, see the plan', { exact: true }).waitFor();
    await row('Dredge the canal').getByRole('img', { name: 'done' }).waitFor();
    await row('Chart the bay').getByRole('img', { name: 'blocked' }).hover();
    await page.getByText('blocked', { exact: true }).filter({ visible: true }).last().waitFor();
    expect(Math.round((await row('Chart the bay').boundingBox())?.height ?? 0)).toBe(43);
    await context.close();
  });

  it('shows the assignee on a phone, with large targets, and cuts nothing off', async () => {
    const { page, context } = await shared.open('ada', { path: '/app/objectives', width: 360, height: 740 });
    const row = list(page).getByRole('listitem').filter({ hasText: 'Chart the bay' });
    await row.getByText('kim', { exact: true }).waitFor();
    const targets = [
      ...(await page.locator('main').getByRole('button').all()),
      ...(await page.getByRole('combobox').all()),
      row.getByRole('link'),
      row.locator('label'),
      ...(await views(page).getByRole('link').all()),
    ];
    const heightOf = async (target: Locator) => (await target.boundingBox())?.height ?? 0;
    for (const target of targets) expect(await heightOf(target)).toBeGreaterThanOrEqual(44);
    expect(await cutContent(page)).toEqual([]);
    await context.close();
  });

  it.each([1280, 360])(
    'shows in the row of a blocked objective why it is blocked, at %i px',
    async (width) => {
      const { page, context } = await shared.open('ada', { path: '/app/objectives', width });
      const row = list(page).getByRole('link', { name: /Chart the bay/ });
      await row.getByText('No boat', { exact: true }).filter({ visible: true }).waitFor();
      await context.close();
    },
  );

  it('shows the filters in full on a phone, the further ones on request', async () => {
    const { page, context, errors } = await shared.open('ada', { path: '/app/objectives', width: 360 });
    const filters = page.getByRole('main').getByRole('combobox');
    await filters.first().waitFor();
    expect(await filters.count()).toBe(1);
    await page.getByRole('button', { name: 'More filters' }).click();
    await expect.poll(() => filters.count()).toBe(5);
    for (const filter of await filters.all()) {
      const text = filter.locator('span').first();
      expect(await text.evaluate((it) => it.scrollWidth <= it.clientWidth)).toBe(true);
      const box = await filter.boundingBox();
      expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThanOrEqual(360);
    }
    await choose(page, 'Originator', 'ben');
    await expect.poll(() => titles(page)).toEqual(['Chart the bay', 'Build the pier']);
    expect(errors).toEqual([]);
    await context.close();
  });
});

it.each([1280, 360])('the list says what needs the reader, and marks it, at %i px', async (width) => {
  const crew = await startConsole({ members: { ada: ['admin'], kim: [] } });
  const create = (title: string, assignee: string) =>
    crew.team.as('ada').call('createObjective', { body: { title, outcome: 'Drawn', assignee, body: '' } });
  const tables = await create('Check the tide tables', 'kim');
  const pier = await create('Draw the pier', 'kim');
  const blockReason = 'The tables of 2019 are missing, and the key to the archive is lost';
  const block = ({ id }: { id: string }) =>
    crew.team.as('kim').call('updateObjective', { params: { id }, body: { status: 'blocked', blockReason } });
  await block(tables);
  const { page, context, errors } = await crew.open('ada', { path: '/app/objectives', width });
  const main = page.getByRole('main');
  await main.getByText('1 item here needs you: Blocked: Check the tide tables.').waitFor();
  const row = (title: string) => list(page).getByRole('listitem').filter({ hasText: title });
  await row('Check the tide tables').getByText('Needs you', { exact: true }).waitFor();
  expect(await row('Draw the pier').getByText('Needs you').count()).toBe(0);
  const isWhole = (text: string) =>
    row('Check the tide tables')
      .getByText(text, { exact: true })
      .evaluate((it) => it.scrollWidth <= it.clientWidth);
  expect(await isWhole('kim')).toBe(true);
  if (width < 640) {
    const reason = row('Check the tide tables').locator('[data-outcome]');
    expect(await reason.evaluate((it) => it.scrollHeight <= it.clientHeight)).toBe(true);
    await reason.getByText(blockReason).waitFor();
  }
  await crew.team.as('ada').call('markAttention', {
    body: { item: (await crew.team.as('ada').call('inbox', {})).items[0]?.key ?? '', until: null },
  });
  await page.reload();
  await main.getByText('Nothing here needs you.').waitFor();
  await create('Answer the pilots', 'ada');
  await row('Answer the pilots').getByText('(you)').waitFor();
  await main.getByText('Nothing here needs you.').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Board' }).click();
  await page.locator('[data-card]').getByText('(you)').waitFor();
  await block(pier);
  await block(await create('Lay the buoys', 'kim'));
  await main.getByText('2 items here need you').waitFor();
  await main.getByRole('link', { name: '1 more in the inbox' }).click();
  await page.getByRole('heading', { name: 'Inbox' }).waitFor();
  expect(errors).toEqual([]);
  await context.close();
  await crew.stop();
});
