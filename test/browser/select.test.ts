/** Selects: the console's own lists to choose from, by mouse, by keyboard, and on a phone. */
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { choose, optionsOf, selectIn } from './testing/choose.ts';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';
import { focused } from './testing/focused.ts';

const long = 'a-name-as-long-as-the-broker-allows-for-an-agent-of-the-harbor';
const crowd = Array.from({ length: 497 }, (_, n) => `sailor-${String(n).padStart(3, '0')}`);

let shared: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);
beforeAll(async () => {
  shared = await startConsole({
    members: {
      ada: ['admin'],
      ben: [],
      [long]: [],
      ...Object.fromEntries(crowd.map((name) => [name, []])),
    },
  });
}, 60_000);
afterAll(() => shared?.stop());

const form = (page: Page) => page.getByRole('dialog', { name: 'New objective' });
const list = (page: Page) => page.getByRole('listbox');
const option = (page: Page, name: string) => list(page).getByRole('option', { name, exact: true });
const highlighted = (page: Page) =>
  expect.poll(() => list(page).locator('[data-highlighted]').allTextContents());
const gone = { state: 'detached' } as const;
const openForm = async () => {
  const opened = await shared.open('ada', { path: '/app/objectives?create=true' });
  await form(opened.page).waitFor();
  return opened;
};
const styleOf = (locator: Locator, property: string) =>
  locator.evaluate(
    (it, name) => it.ownerDocument.defaultView!.getComputedStyle(it).getPropertyValue(name),
    property,
  );

it('has the name of its label, marks the option that is chosen, and returns the focus', async () => {
  const { page, context, errors } = await openForm();
  await choose(form(page), 'Assignee', 'ben');
  await focused(page).toBe('button Assignee');
  expect(await selectIn(form(page), 'Assignee').textContent()).toBe('ben');
  const options = await optionsOf(form(page), 'Assignee');
  expect(await options.and(page.locator('[aria-selected=true]')).allTextContents()).toEqual(['ben']);
  expect(await options.filter({ has: page.locator('svg') }).allTextContents()).toEqual(['ben']);
  expect(errors).toEqual([]);
  await context.close();
});

it('closes alone on Escape and on a click beside it, and the dialog around it stays open with what was chosen', async () => {
  const { id } = await shared.team.as('ada').call('createObjective', {
    body: { title: 'Draw the coast', outcome: 'A map', assignee: 'ada', body: '', watchers: [] },
  });
  const { page, context, errors } = await shared.open('ada', { path: `/app/objectives/${id}` });
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Reassign' }).click();
  const dialog = page.getByRole('dialog', { name: 'Reassign objective' });
  await choose(dialog, 'New assignee', 'ben');
  await optionsOf(dialog, 'New assignee');
  await page.keyboard.press('Escape');
  await list(page).waitFor(gone);
  await focused(page).toBe('button New assignee');
  await optionsOf(dialog, 'New assignee');
  // Beside the dialog, too.
  await page.mouse.click(1270, 850);
  await list(page).waitFor(gone);
  expect(await dialog.count()).toBe(1);
  expect(await page.getByRole('alertdialog').count()).toBe(0);
  await page.keyboard.press('Escape');
  await page.getByRole('alertdialog', { name: 'Discard what you typed?' }).waitFor();
  expect(errors).toEqual([]);
  await context.close();
});

it('is a required field: the form says so, stays, and submits once a member is chosen', async () => {
  const { page, context, errors } = await openForm();
  await form(page).getByLabel('Title').fill('Sound the bay');
  await form(page).getByLabel('Outcome').fill('Depths are known');
  const submit = form(page).getByRole('button', { name: 'Create objective' });
  await submit.click();
  await form(page).getByText('Choose a member.', { exact: true }).waitFor();
  await focused(page).toBe('button Assignee');
  const select = selectIn(form(page), 'Assignee');
  expect(await select.getAttribute('aria-invalid')).toBe('true');
  const described = (await select.getAttribute('aria-describedby')) ?? '';
  expect(
    await page
      .locator(
        described
          .split(' ')
          .map((id) => `[id="${id}"]`)
          .join(),
      )
      .allTextContents(),
  ).toContain('Choose a member.');
  await choose(form(page), 'Assignee', 'ben');
  await form(page).getByText('Choose a member.', { exact: true }).waitFor(gone);
  expect(
    await page.evaluate(`new FormData(document.querySelector('[role=dialog] form')).get('assignee')`),
  ).toBe('ben');
  await submit.click();
  await page.getByRole('heading', { name: 'Sound the bay', level: 1 }).waitFor();
  expect(errors).toEqual([]);
  await context.close();
});

it('works by keyboard: it opens, finds what is typed, goes to both ends, and chooses', async () => {
  const { page, context, errors } = await shared.open('ada', { path: '/app/admin/audit' });
  const select = selectIn(page, 'Member');
  await select.focus();
  await page.keyboard.press('Enter');
  await option(page, 'sailor-496').waitFor();
  await highlighted(page).toEqual(['Everybody']);
  await page.keyboard.press('End');
  await highlighted(page).toEqual(['sailor-496']);
  await page.keyboard.press('Home');
  await highlighted(page).toEqual(['Everybody']);
  await page.keyboard.type('sailor-12');
  await highlighted(page).toEqual(['sailor-120']);
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await list(page).waitFor(gone);
  expect(await select.textContent()).toBe('sailor-121');
  await focused(page).toBe('button Member');
  await page.keyboard.type('ben');
  await expect.poll(() => select.textContent()).toBe('ben');
  expect(errors).toEqual([]);
  await context.close();
});

it('leaves no key to the screen while it has the focus or is open', async () => {
  const { page, context, errors } = await shared.open('ada', { path: '/app/admin/audit' });
  const layers = page.getByRole('dialog');
  await selectIn(page, 'Kind').focus();
  await page.keyboard.press('c');
  await page.keyboard.press('?');
  expect(await layers.count()).toBe(0);
  await optionsOf(page, 'Member');
  await page.keyboard.press('c');
  await page.keyboard.press('?');
  expect(await layers.count()).toBe(0);
  await page.keyboard.press('Escape');
  await list(page).waitFor(gone);
  // They work again.
  await page.getByRole('region', { name: 'Audit' }).click();
  await page.keyboard.press('?');
  await layers.waitFor();
  expect(errors).toEqual([]);
  await context.close();
});

it.each([
  [1280, 860, 24],
  [360, 740, 44],
])(
  'lists 500 members in the window, with large rows, and moves nothing: at %i × %i',
  async (width, height, least) => {
    const { page, context, errors } = await shared.open('ada', { path: '/app/admin/audit', width, height });
    await page.getByRole('button', { name: / enrolled / }).waitFor();
    const places = () =>
      page
        .locator('h1, main button')
        .evaluateAll((all) => all.map((it) => JSON.stringify(it.getBoundingClientRect())));
    const before = await places();
    const options = await optionsOf(page, 'Member');
    expect(await options.count()).toBe(501);
    expect(await places()).toEqual(before);
    await highlighted(page).toEqual(['Everybody']);
    await page.keyboard.press('End');
    await highlighted(page).toEqual(['sailor-496']);
    const box = (await list(page).boundingBox())!;
    const last = (await options.last().boundingBox())!;
    expect(box.y).toBeGreaterThanOrEqual(0);
    expect(box.x).toBeGreaterThanOrEqual(0);
    expect(box.x + box.width).toBeLessThanOrEqual(width);
    expect(box.y + box.height).toBeLessThanOrEqual(height);
    expect(box.height).toBeLessThanOrEqual(400);
    expect(last.y + last.height).toBeLessThanOrEqual(box.y + box.height);
    expect(last.height).toBeGreaterThanOrEqual(least);
    expect(errors).toEqual([]);
    await context.close();
  },
);

it('shows a value in full where there is room, and otherwise cuts it and has it as a title', async () => {
  const isCut = (select: Locator) =>
    select
      .locator('span')
      .first()
      .evaluate((it) => it.scrollWidth > it.clientWidth);
  const { page, context } = await shared.open('ada', {
    path: `/app/admin/audit?kind=permissions_changed&member=${long}`,
    width: 360,
  });
  const kind = selectIn(page, 'Kind');
  await kind.hover();
  expect(await isCut(kind)).toBe(false);
  expect(await kind.getAttribute('title')).toBeNull();
  const member = selectIn(page, 'Member');
  await expect.poll(() => member.textContent()).toBe(long);
  await member.hover();
  expect(await isCut(member)).toBe(true);
  expect(await member.getAttribute('title')).toBe(long);
  const { id } = await shared.team.as('ada').call('createChannel', { body: { slug: 'charts' } });
  await page.goto(`/app/channels?channel=${id}`);
  const role = selectIn(page, 'Role of ada');
  await role.getByText('admin').waitFor();
  expect(await isCut(role)).toBe(false);
  await context.close();
});

it('shows a value that its list does not contain, as the chosen one', async () => {
  const { page, context, errors } = await shared.open('ada', { path: '/app/admin/audit?member=ghost' });
  const options = await optionsOf(page, 'Member');
  expect(await options.and(page.locator('[aria-selected=true]')).allTextContents()).toEqual(['ghost']);
  expect(await selectIn(page, 'Member').textContent()).toBe('ghost');
  expect(errors).toEqual([]);
  await context.close();
});

it('shows the highlighted option also in forced colors', async () => {
  const { page, context } = await shared.open('ada', { path: '/app/admin/audit' });
  await page.emulateMedia({ forcedColors: 'active' });
  await optionsOf(page, 'Time');
  // The list highlights the chosen option once it is drawn.
  await highlighted(page).toEqual(['Any time']);
  await page.keyboard.press('End');
  await highlighted(page).toEqual(['Last month']);
  expect(await styleOf(option(page, 'Last month'), 'outline-style')).toBe('solid');
  expect(await styleOf(option(page, 'Last week'), 'outline-style')).toBe('none');
  await context.close();
});

it('opens and chooses by touch, and a tap beside the list only closes it', async () => {
  const { page, context, errors } = await shared.open('ada', {
    path: '/app/admin/audit',
    width: 360,
    height: 740,
    touch: true,
  });
  const time = selectIn(page, 'Time');
  const record = page.getByRole('button', { name: / enrolled / });
  await record.waitFor();
  await time.tap();
  await option(page, 'Last week').tap();
  await list(page).waitFor(gone);
  await expect.poll(() => time.textContent()).toBe('Custom range');
  await time.tap();
  await option(page, 'Any time').waitFor();
  await page.touchscreen.tap(180, 600);
  await list(page).waitFor(gone);
  expect(await time.textContent()).toBe('Custom range');
  expect(await page.locator('main [aria-expanded=true]').count()).toBe(0);
  expect(errors).toEqual([]);
  await context.close();
});
