/** The console under a finger: targets, and the menus that a long press opens. */
import type { CDPSession, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConsolePage, type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { type Demo, demoMembers, fillTeam } from './testing/demo-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';
import { focused } from './testing/focused.ts';
import { screenNames, screensOf, visitScreen } from './testing/screens.ts';
import { smallTargets } from './testing/small-targets.ts';

const phone = { width: 390, height: 740, touch: true };

let crew: ConsoleTeam;
let demo: Demo;
showPagesOfFailures(() => crew?.browser);
beforeAll(async () => {
  crew = await startConsole({ members: demoMembers });
  demo = await fillTeam(crew.team);
});
afterAll(() => crew?.stop());

describe('every screen of a phone', () => {
  let eyes: ConsolePage;
  beforeAll(async () => {
    eyes = await crew.open('ada', phone);
  });

  // A phone has no button for the palette.
  it.each(screenNames.filter((name) => name !== 'palette'))(
    'has no control that a finger misses: %s',
    async (wanted) => {
      for (const screen of screensOf(demo).filter(({ name }) => name === wanted))
        await visitScreen(eyes.page, screen);
      await expect.poll(() => smallTargets(eyes.page)).toEqual([]);
    },
  );
});

it('shows all activity in rows of at most two lines', async () => {
  const { page, context } = await crew.open('ada', { ...phone, path: '/app/activity' });
  const rows = page.getByRole('main').getByRole('listitem').getByRole('link');
  await rows.first().waitFor();
  const heights = await rows.evaluateAll((all) => all.map((row) => row.clientHeight));
  expect(Math.max(...heights)).toBeLessThan(66);
  await context.close();
});

it.each(['ada', 'ben'])(
  'leaves the text of a message of %s in its place when its actions come',
  async (from) => {
    const { page, context, errors } = await crew.open('ada', {
      ...phone,
      path: '/app/conversations/general',
    });
    await page.locator('[data-message]').first().waitFor();
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 1000);
    const body = `The width of a message of ${from}`;
    await crew.team.as(from).call('push', { body: { to: null, body } });
    const text = page.getByRole('log').getByText(body);
    await expect.poll(() => page.clock.runFor(50).then(() => text.count())).toBe(1);
    const row = page.getByRole('article').filter({ hasText: body });
    const more = row.getByRole('button', { name: 'More actions' });
    expect([await row.count(), await more.count()]).toEqual([1, 0]);
    const width = await text.evaluate((one) => one.clientWidth);
    await expect.poll(() => page.clock.runFor(50).then(() => more.count())).toBe(1);
    expect(await text.evaluate((one) => one.clientWidth)).toBe(width);
    expect(errors).toEqual([]);
    await context.close();
  },
);

describe('a long press', () => {
  let page: Page;
  let context: ConsolePage['context'];
  let errors: string[];
  let finger: CDPSession;
  beforeAll(async () => {
    ({ page, context, errors } = await crew.open('ada', phone));
    finger = await context.newCDPSession(page);
    await page.clock.install();
  });
  afterAll(async () => {
    expect(errors).toEqual([]);
    await context.close();
  });

  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...touchPoints: { x: number; y: number }[]) =>
    finger.send('Input.dispatchTouchEvent', { type, touchPoints });
  async function placeOf(row: Locator) {
    await row.scrollIntoViewIfNeeded();
    const { x, y, height } = (await row.boundingBox())!;
    return { x: x + 90, y: y + height / 2 };
  }
  const longPress = async (row: Locator) => {
    await touch('touchStart', await placeOf(row));
    await page.clock.fastForward(600);
    await page.getByRole('menu').waitFor();
    await touch('touchEnd');
  };
  const item = (name: string | RegExp) => page.getByRole('menuitem', { name });

  const cases: { what: string; path: string; row: () => Locator; items: (string | RegExp)[] }[] = [
    {
      what: 'a message',
      path: '/app/conversations/general',
      row: () => page.getByRole('article').filter({ hasText: 'Gusts from the' }),
      items: [/^Answer /, 'Quote', 'Copy text', 'Copy link', 'Make an objective', 'Mark unread from here'],
    },
    {
      what: 'an item of the inbox',
      path: '/app',
      row: () => page.getByRole('link', { name: /^Blocked: Check the tide/ }),
      items: ['Open', 'Clear from inbox', 'Later'],
    },
    {
      what: 'an objective',
      path: '/app/objectives',
      row: () => page.getByRole('link', { name: /Answer the pilots/ }),
      items: ['Open', 'Select “Answer the pilots”'],
    },
    {
      what: 'an agent',
      path: '/app/agents',
      row: () => page.getByRole('row').filter({ hasText: 'tug' }),
      items: ['Open', 'Message tug', 'Its activity'],
    },
    {
      what: 'a file',
      path: '/app/files?path=/ada',
      row: () => page.getByRole('link', { name: /^pins\.json/ }),
      items: ['Open', 'Delete the file pins.json'],
    },
  ];

  it.each(cases)('on $what opens its menu, follows no link, and selects no text', async (one) => {
    await page.goto(one.path);
    await one.row().first().waitFor();
    const before = page.url();
    await longPress(one.row().first());
    expect(await page.getByRole('menuitem').allTextContents()).toEqual(
      one.items.map((words) => (typeof words === 'string' ? words : expect.stringMatching(words))),
    );
    expect(page.url()).toBe(before);
    expect(await page.evaluate('getSelection().toString()')).toBe('');
    await page.keyboard.press('Escape');
    await page.getByRole('menu').waitFor({ state: 'detached' });
    expect(await page.evaluate('document.activeElement === document.body')).toBe(false);
  });

  it.each(cases)('on $what is none when the finger moves', async (one) => {
    await page.goto(one.path);
    await one.row().first().waitFor();
    const { x, y } = await placeOf(one.row().first());
    await touch('touchStart', { x, y });
    await touch('touchMove', { x, y: y - 30 });
    await page.clock.fastForward(2000);
    await touch('touchEnd');
    // A menu that a press would have opened is there by now.
    await page.evaluate('new Promise(requestAnimationFrame)');
    expect(await page.getByRole('menu').count()).toBe(0);
  });

  it('leads to the action that is chosen', async () => {
    await page.goto('/app/objectives');
    await longPress(page.getByRole('link', { name: /Answer the pilots/ }));
    await item('Select “Answer the pilots”').tap();
    await page.getByText('1 selected').waitFor();
    await page.goto('/app');
    const row = page.getByRole('link', { name: /^Blocked: Check the tide/ });
    await longPress(row);
    await item('Later').tap();
    await item('Tomorrow morning').tap();
    await row.waitFor({ state: 'detached' });
    // Undo may come where the menu was, and a quick second tap in one place is refused. A tap in another place comes between.
    await page.getByRole('heading', { name: 'Inbox' }).tap();
    await page.getByRole('button', { name: 'Undo' }).tap();
    await row.waitFor();
    await page.goto('/app/agents');
    await longPress(page.getByRole('row').filter({ hasText: 'tug' }).first());
    await item('Message tug').tap();
    await page.getByRole('heading', { name: 'tug', level: 1 }).waitFor();
  });

  it('closes its menu when the row leaves, and gives the focus to the next row', async () => {
    const [, id] = await Promise.all(
      ['Stays in the list', 'Leaves the list'].map(async (title) => {
        const body = { title, outcome: 'it is gone', assignee: 'ada' };
        return (await crew.team.as('ada').call('createObjective', { body })).id;
      }),
    );
    await page.goto('/app/objectives?q=the+list');
    await longPress(page.getByRole('link', { name: /Leaves the list/ }));
    await crew.team.as('ada').call('cancelObjective', { params: { id: id! }, body: {} });
    await page.getByRole('menu').waitFor({ state: 'detached' });
    await focused(page).toContain('Stays in the list');
  });
});
