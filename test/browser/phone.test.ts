/** The console on a phone: the menu, the bar at the bottom, fields, and lists. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { selectIn } from './testing/choose.ts';
import { type ConsolePage, type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { cutContent } from './testing/cut-content.ts';
import { type Demo, demoMembers, fillTeam } from './testing/demo-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';
import { screenNames, screensOf, visitScreen } from './testing/screens.ts';

let shared: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);
beforeAll(async () => {
  shared = await startConsole({ members: { ada: ['admin'], ben: [], kim: [] } });
  await shared.team.as('ada').call('push', { body: { to: null, body: 'Hello' } });
  await shared.team.as('ben').call('push', { body: { to: 'ada', body: 'For you' } });
});
afterAll(() => shared?.stop());

const open = (path: string) => shared.open('ada', { path, width: 390, height: 740 });
const menu = (page: Page) => page.getByRole('dialog', { name: 'Menu' });
const trigger = (page: Page) => page.getByRole('button', { name: 'More', exact: true });
const hasFocus = (page: Page) =>
  trigger(page).evaluate((button) => button === button.ownerDocument.activeElement);

describe('the menu', () => {
  it('is closed by its button, by Escape, and by a tap beside it that does nothing else, and returns the focus', async () => {
    const { page, context } = await open('/app/conversations/general');
    await page.getByRole('log').getByText('Hello').waitFor();
    const before = page.url();
    const ways: (() => Promise<void>)[] = [
      () => menu(page).getByRole('button', { name: 'Close the menu' }).click(),
      () => page.keyboard.press('Escape'),
      // Over the composer of the page below.
      () => page.mouse.click(370, 640),
    ];
    for (const close of ways) {
      await trigger(page).click();
      await menu(page).waitFor();
      await close();
      await menu(page).waitFor({ state: 'detached' });
      await expect.poll(() => hasFocus(page)).toBe(true);
      expect(page.url()).toBe(before);
    }
    await context.close();
  });

  it('keeps the focus inside, and leads to a screen', async () => {
    const { page, context } = await open('/app');
    await trigger(page).click();
    await expect
      .poll(() => page.evaluate(`document.activeElement.closest('[role=dialog]') !== null`))
      .toBe(true);
    for (let n = 0; n < 30; n++) {
      await page.keyboard.press('Tab');
      expect(await page.evaluate(`document.activeElement.closest('main') === null`)).toBe(true);
    }
    await menu(page)
      .getByRole('link', { name: /Admin$/ })
      .click();
    await menu(page).waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'Admin', level: 1 }).waitFor();
    await context.close();
  });
});

describe('the bar at the bottom', () => {
  it('leads to the most used screens, and says what waits there', async () => {
    const { page, context } = await open('/app');
    const bar = page.getByRole('navigation', { name: 'Most used' });
    await bar.getByText('Unread direct messages and mentions: 1').waitFor();
    await bar.getByRole('link', { name: /^Objectives/ }).click();
    await page.getByRole('heading', { name: 'Objectives', level: 1 }).waitFor();
    expect(await bar.getByRole('link', { name: /^Objectives/ }).getAttribute('aria-current')).toBe('page');
    const colorOf = (name: RegExp) =>
      bar
        .getByRole('link', { name })
        .evaluate((it) => it.ownerDocument.defaultView?.getComputedStyle(it).color);
    expect(await colorOf(/^Objectives/)).not.toBe(await colorOf(/^Agents/));
    const box = await bar.boundingBox();
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBe(740);
    await bar.getByRole('button', { name: 'More' }).click();
    await menu(page)
      .getByRole('link', { name: /Admin$/ })
      .click();
    await page.getByRole('heading', { name: 'Admin', level: 1 }).waitFor();
    const more = bar.getByRole('button', { name: 'More' });
    expect(await more.evaluate((it) => it.ownerDocument.defaultView?.getComputedStyle(it).color)).not.toBe(
      await colorOf(/^Agents/),
    );
    await context.close();
  });
});

describe('a field', () => {
  it.each([
    '/app/conversations/general',
    '/app/objectives?create=true',
    '/app/admin/people?create=true',
    '/app/activity',
    '/app/admin/team',
  ])('of %s has text so large that the phone does not zoom', async (path) => {
    const { page, context } = await open(path);
    const fields = page.locator('input:not([type=checkbox], [type=radio], [type=file]), textarea, select');
    await fields.first().waitFor();
    const sizes = await fields.evaluateAll((all) =>
      all.map((field) =>
        Number.parseFloat(field.ownerDocument.defaultView?.getComputedStyle(field).fontSize ?? ''),
      ),
    );
    expect(Math.min(...sizes)).toBeGreaterThanOrEqual(16);
    await context.close();
  });
});

describe('a list', () => {
  it('of the inbox has the main action of each item in sight', async () => {
    const { page, context } = await open('/app');
    const row = page.getByRole('listitem').filter({ hasText: '1 direct message from ben' });
    await row.getByRole('button', { name: 'Answer…' }).click();
    await page.getByText('For you', { exact: true }).first().waitFor();
    expect(new URL(page.url()).searchParams.get('item')).toMatch(/^direct /);
    await context.close();
  });

  it('of members shows everything below each other', async () => {
    const { page, context } = await open('/app/admin/people');
    const row = page.getByRole('row').or(page.locator('tr')).filter({ hasText: 'kim' });
    await row.getByText('never seen').waitFor();
    expect(await row.getByText('offline').isVisible()).toBe(true);
    const own = page.locator('tr').filter({ hasText: 'ada' });
    // A connected member is seen now.
    await own.getByText('Last seen now').waitFor();
    await context.close();
  });

  it('of tabs shows the chosen one', async () => {
    const { page, context } = await open('/app/me?part=notifications');
    const tab = page.getByRole('tab', { name: 'Notifications' });
    await tab.waitFor();
    await expect
      .poll(async () => {
        const box = await tab.boundingBox();
        return box !== null && box.x >= 0 && box.x + box.width <= 390;
      })
      .toBe(true);
    await context.close();
  });
});

describe('long names and titles', () => {
  const long = 'a-name-as-long-as-the-broker-allows-for-an-agent-of-the-harbor';
  let harbor: ConsoleTeam;
  beforeAll(async () => {
    harbor = await startConsole({ members: { ada: ['admin'], [long]: ['operator'] } });
    await harbor.team.as('ada').call('createObjective', {
      body: { title: 'word '.repeat(40).trim(), outcome: 'Done', assignee: long, body: '' },
    });
  });
  afterAll(() => harbor?.stop());

  it.each([
    ['/app/activity', 390],
    [`/app/activity?member=${long}`, 390],
    ['/app/admin/audit', 390],
    ['/app/objectives', 390],
    ['/app/admin/people', 900],
  ])('cut nothing off and make nothing wider than the screen: %s at %i px', async (path, width) => {
    const { page, context } = await harbor.open('ada', { path, width, height: 844 });
    const selects = page.getByRole('combobox');
    if (path === '/app/admin/people')
      await page.getByRole('columnheader', { name: 'Last seen' }).first().waitFor();
    else await selects.first().waitFor();
    if (path.includes('member=')) await selectIn(page, 'Objective').waitFor();
    await expect.poll(() => cutContent(page)).toEqual([]);
    // The space above and below the text of a select must not cover it.
    const hasRoom = await selects.evaluateAll((all) =>
      all.map((one) => {
        const { fontSize, paddingTop, paddingBottom } = one.ownerDocument.defaultView!.getComputedStyle(one);
        const room = one.clientHeight - Number.parseFloat(paddingTop) - Number.parseFloat(paddingBottom);
        return room >= 1.4 * Number.parseFloat(fontSize);
      }),
    );
    expect(hasRoom).not.toContain(false);
    await context.close();
  });
});

describe('every screen', () => {
  let crew: ConsoleTeam;
  let demo: Demo;
  let eyes: ConsolePage;
  beforeAll(async () => {
    crew = await startConsole({ members: demoMembers });
    demo = await fillTeam(crew.team);
    eyes = await crew.open('ada', { width: 390, height: 740 });
  });
  afterAll(() => crew?.stop());

  // A phone has no button for the palette.
  it.each(screenNames.filter((name) => name !== 'palette'))(
    'cuts no text and no control off at its right edge: %s',
    async (wanted) => {
      for (const screen of screensOf(demo).filter(({ name }) => name === wanted))
        await visitScreen(eyes.page, screen);
      // A layer takes its place a moment after it appears.
      await expect.poll(() => cutContent(eyes.page)).toEqual([]);
    },
  );
});
