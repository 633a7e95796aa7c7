/**
 * Reading a long conversation: where it opens, what counts as read, and how the member gets to what is new, to an old
 * message, and back.
 */
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';

let shared: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);
beforeAll(async () => {
  shared = await startConsole({
    members: { ada: ['admin'], ben: [], cy: [], dan: [], eve: [], finn: [], gus: [], hal: [] },
  });
});
afterAll(() => shared?.stop());

/** Sends direct messages to ada, and returns their ids. */
async function tell(from: string, count: number, body = (n: number) => `Line ${n} of ${from}`) {
  const ids: string[] = [];
  for (let n = 0; n < count; n++) {
    const sent = await shared.team.as(from).call('push', { body: { to: 'ada', body: body(n) } });
    ids.push(sent.message.id);
  }
  return ids;
}
const markRead = (from: string, upTo = '') =>
  shared.team.as('ada').call('reportRead', { body: { scope: `dm:${from}`, upTo } });
const unreadOf = async (from: string) =>
  (await shared.team.as('ada').call('unread', {})).scopes.find(({ scope }) => scope === `dm:${from}`);

const logOf = (page: Page): Locator => page.getByRole('log', { name: 'Messages' });
const line = (page: Page, text: string): Locator => logOf(page).getByText(text, { exact: true });
/** How far below the top of the log an element begins, in pixels. */
const below = async (page: Page, place: Locator): Promise<number> =>
  ((await place.boundingBox())?.y ?? Number.NaN) - ((await logOf(page).boundingBox())?.y ?? 0);
const badge = (page: Page, from: string): Locator =>
  page.getByRole('navigation', { name: 'Conversations' }).getByText(`Unread from ${from}`);
const isInLog = async (page: Page, place: Locator): Promise<boolean> => {
  const log = await logOf(page).boundingBox();
  // Without waiting: a message that leaves the screen may be removed at any time.
  const [box] = await place.evaluateAll((found) => found.map((one) => one.getBoundingClientRect().toJSON()));
  return log !== null && box !== undefined && box.top >= log.y && box.bottom <= log.y + log.height + 1;
};
/** Returns the number of the last line that is wholly on the screen; -1 if there is none. */
const lastInLog = (page: Page): Promise<number> =>
  logOf(page).evaluate((log) => {
    const { bottom } = log.getBoundingClientRect();
    return [...log.querySelectorAll('article')]
      .filter((one) => one.getBoundingClientRect().bottom <= bottom + 1)
      .reduce((last, one) => Math.max(last, Number(/Line (\d+)/.exec(one.textContent ?? '')?.[1] ?? -1)), -1);
  });
const visible = (page: Page, text: string) =>
  expect.poll(() => isInLog(page, line(page, text)), { message: `${text} is on the screen` });

/** Returns a poll of the text of the message that is highlighted. */
const marked = (page: Page) =>
  expect.poll(() => logOf(page).locator('[aria-current=true] p').last().textContent());

describe('a conversation with unread messages', () => {
  it('opens at the first of them, and only what was on the screen counts as read', async () => {
    const ids = await tell('ben', 125);
    await markRead('ben', ids[19]);
    const { page, context } = await shared.open('ada', { path: '/app/conversations/dm:ben' });
    await visible(page, 'Line 20 of ben').toBe(true);
    const article = logOf(page)
      .getByRole('article')
      .filter({ hasText: /Line 20 of ben$/ });
    expect(await article.textContent()).toContain('New');
    expect(await below(page, article)).toBeLessThan(200);
    await expect.poll(async () => (await unreadOf('ben'))?.count).toBeLessThan(105);
    const { count = 0, lastReadId = '' } = (await unreadOf('ben')) ?? {};
    expect(count).toBeGreaterThan(50);
    // Exactly what the log shows: the last message that was read is on the screen, and the next one is not to its end.
    const last = ids.indexOf(lastReadId ?? '');
    expect(await isInLog(page, line(page, `Line ${last} of ben`))).toBe(true);
    expect(await isInLog(page, line(page, `Line ${last + 3} of ben`).last())).toBe(false);
    await context.close();
  });

  it('says how many there are, and leaves unread what a jump to the end passes over', async () => {
    const ids = await tell('cy', 60, (n) =>
      n === 30 || n === 50 ? `Line ${n} for @ada` : `Line ${n} of cy`,
    );
    await markRead('cy', ids[0]);
    const { page, context } = await shared.open('ada', { path: '/app/conversations/dm:cy', height: 500 });
    const bar = page.getByRole('region', { name: 'Unread messages' });
    await bar.getByText(/^\d+ new, 2 mentions$/).waitFor();
    await page.getByRole('button', { name: 'Jump to latest' }).click();
    await visible(page, 'Line 59 of cy').toBe(true);
    await page.evaluate(`fetch('/healthz')`);
    expect((await unreadOf('cy'))?.count).toBeGreaterThan(30);
    await bar.getByRole('button', { name: 'Next mention' }).click();
    await visible(page, 'Line 30 for @ada').toBe(true);
    await marked(page).toBe('Line 30 for @ada');
    await bar.getByRole('button', { name: 'Next mention' }).click();
    await visible(page, 'Line 50 for @ada').toBe(true);
    await marked(page).toBe('Line 50 for @ada');
    await bar.getByText(/^\d+ new, 2 mentions$/).click();
    await expect.poll(() => logOf(page).getByText('New', { exact: true }).isVisible()).toBe(true);
    await bar.getByRole('button', { name: 'Mark as read' }).click();
    await bar.waitFor({ state: 'detached' });
    expect(await unreadOf('cy')).toMatchObject({ count: 0, lastReadId: ids[59] });
    await context.close();
  });

  it('becomes read as the member scrolls through it', async () => {
    const ids = await tell('dan', 80);
    await markRead('dan', ids[0]);
    const { page, context } = await shared.open('ada', { path: '/app/conversations/dm:dan', height: 500 });
    await visible(page, 'Line 1 of dan').toBe(true);
    await logOf(page).focus();
    // Each page is read before the next one, because what a busy machine passes over stays unread.
    for (let shown = -1; shown < 79; ) {
      const before = shown;
      await expect
        .poll(async () => {
          shown = await lastInLog(page);
          return shown > before && ((await unreadOf('dan'))?.count ?? 0) <= 79 - shown;
        })
        .toBe(true);
      await page.keyboard.press('PageDown');
    }
    await page.getByRole('region', { name: 'Unread messages' }).waitFor({ state: 'detached' });
    await context.close();
  });

  it('counts as unread again from a message on, until it is opened again', async () => {
    const ids = await tell('eve', 6);
    const { page, context } = await shared.open('ada', { path: '/app/conversations/dm:eve' });
    await expect.poll(async () => (await unreadOf('eve'))?.count).toBe(0);
    const article = logOf(page).getByRole('article').filter({ hasText: 'Line 3 of eve' });
    await article.hover();
    await article.getByRole('button', { name: 'Mark unread from here' }).click();
    await page.getByText('Marked as unread', { exact: true }).waitFor();
    await badge(page, 'eve').waitFor();
    expect(await unreadOf('eve')).toMatchObject({ count: 3, lastReadId: ids[2] });
    expect(await article.textContent()).toContain('New');
    await page
      .getByRole('navigation', { name: 'Conversations' })
      .getByRole('link', { name: 'general' })
      .click();
    await page.getByRole('heading', { name: 'general', level: 1 }).waitFor();
    expect(await unreadOf('eve')).toMatchObject({ count: 3, lastReadId: ids[2] });
    await page.goBack();
    await expect.poll(async () => (await unreadOf('eve'))?.count).toBe(0);
    await context.close();
  });
});

it('never offers a jump to what is on the screen from the beginning', async () => {
  const [first] = await tell('hal', 2);
  await markRead('hal', first);
  const { page, context, errors } = await shared.open('ada', { path: '/app/inbox' });
  await page.addInitScript(`
    window.offers = 0;
    new MutationObserver(() => {
      if (document.body?.textContent.includes('Jump to latest')) window.offers += 1;
    }).observe(document, { subtree: true, childList: true });
  `);
  await page.goto('/app/conversations/dm:hal');
  await visible(page, 'Line 1 of hal').toBe(true);
  await expect.poll(async () => (await unreadOf('hal'))?.count).toBe(0);
  expect(await page.evaluate('window.offers')).toBe(0);
  expect(errors).toEqual([]);
  await context.close();
});

describe('a conversation that the member watches', () => {
  it('has no badge that climbs, and one for what arrives behind the screen', async () => {
    await tell('finn', 60);
    const { page, context } = await shared.open('ada', { path: '/app/conversations/dm:finn' });
    await page.getByRole('button', { name: 'Mark as read' }).click();
    await page.getByRole('button', { name: 'Jump to latest' }).click();
    await visible(page, 'Line 59 of finn').toBe(true);
    await expect.poll(async () => (await unreadOf('finn'))?.count).toBe(0);
    await badge(page, 'finn').waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Jump to latest' }).waitFor({ state: 'detached' });
    // Every badge that appears from now on is recorded.
    await page.evaluate(`
      window.badges = [];
      new MutationObserver(() => {
        const found = [...document.querySelectorAll('nav[aria-label=Conversations] a')]
          .filter((row) => /Unread from finn/.test(row.textContent)).length;
        if (found > 0) window.badges.push(found);
      }).observe(document.body, { subtree: true, childList: true, characterData: true });
    `);
    for (let n = 0; n < 5; n++) {
      await tell('finn', 1, () => `Now ${n}`);
      await visible(page, `Now ${n}`).toBe(true);
    }
    await expect.poll(async () => (await unreadOf('finn'))?.count).toBe(0);
    expect(await page.evaluate('window.badges')).toEqual([]);
    await logOf(page).focus();
    await page.keyboard.press('Home');
    await page.getByRole('button', { name: 'Jump to latest' }).waitFor();
    await tell('finn', 1, () => 'Behind the screen');
    await badge(page, 'finn').waitFor();
    await page.getByRole('region', { name: 'Unread messages' }).getByText('1 new', { exact: true }).waitFor();
    await context.close();
  });

  it('stays at the newest message, without a blank frame, while many arrive at once', async () => {
    await markRead('dan', (await tell('dan', 40)).at(-1));
    const { page, context } = await shared.open('ada', { path: '/app/conversations/dm:dan' });
    await visible(page, 'Line 39 of dan').toBe(true);
    await logOf(page).hover();
    await page.evaluate(`
      const log = document.querySelector('[role=log]');
      window.frames = { good: 0, blank: 0, behind: 0 };
      requestAnimationFrame(function look() {
        const { left, bottom } = log.getBoundingClientRect();
        const isDrawn = document.elementFromPoint(left + 20, bottom - 60).closest('[data-index]') !== null;
        const isAtEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 2;
        window.frames[isAtEnd ? (isDrawn ? 'good' : 'blank') : 'behind'] += 1;
        requestAnimationFrame(look);
      });
    `);
    for (let burst = 0; burst < 10; burst++)
      await Promise.all(
        Array.from({ length: 20 }, (_, n) => tell('dan', 1, () => `Burst ${burst}-${n}\n\n- **of** dan`)),
      );
    await visible(page, 'Burst 9-19').toBe(true);
    expect(await page.evaluate('window.frames')).toEqual({
      good: expect.any(Number),
      blank: 0,
      behind: 0,
    });
    await context.close();
  });

  it('draws only the last of many messages that arrive together', async () => {
    await markRead('eve', (await tell('eve', 40)).at(-1));
    const { page, context } = await shared.open('ada', { path: '/app/conversations/dm:eve' });
    await visible(page, 'Line 39 of eve').toBe(true);
    const reached = Promise.withResolvers<void>();
    const sent = Promise.withResolvers<void>();
    await page.route('**/until-sent', async (route) => {
      reached.resolve();
      await sent.promise;
      await route.fulfill({ body: '' });
    });
    // A synchronous request keeps the page from seeing any of them before all were sent.
    const waiting = page.evaluate(`(() => {
      window.drawn = new Set();
      new MutationObserver((records) => {
        for (const { addedNodes } of records)
          for (const node of addedNodes)
            for (const one of node.querySelectorAll?.('[data-message]') ?? []) window.drawn.add(one.dataset.message);
      }).observe(document.querySelector('[role=log]'), { childList: true, subtree: true });
      const request = new XMLHttpRequest();
      request.open('GET', '/until-sent', false);
      request.send();
    })()`);
    await reached.promise;
    await tell('eve', 100, (n) => `Together ${n}`);
    sent.resolve();
    await waiting;
    await visible(page, 'Together 99').toBe(true);
    const drawn = Number(await page.evaluate('window.drawn.size'));
    expect(drawn).toBeGreaterThan(5);
    expect(drawn).toBeLessThan(60);
    await context.close();
  });

  it('shows the member’s own message when it is sent while the log is scrolled up', async () => {
    const { page, context } = await shared.open('ada', { path: '/app/conversations/dm:finn' });
    await logOf(page).getByRole('article').first().waitFor();
    await logOf(page).focus();
    await expect
      .poll(async () => {
        await page.keyboard.press('Home');
        return line(page, 'Line 0 of finn').count();
      })
      .toBe(1);
    await page.getByRole('textbox', { name: /^Message/ }).fill('My own words');
    await page.keyboard.press('Enter');
    await visible(page, 'My own words').toBe(true);
    await context.close();
  });
});

describe('a long conversation', () => {
  const long = 450;
  let ids: string[] = [];
  beforeAll(async () => {
    ids = await tell('gus', long);
    await markRead('gus', ids.at(-1));
  });

  it('opens a linked message without the messages in between, and reads on in both directions to the end', async () => {
    const opened = await shared.open('ada');
    const { page } = opened;
    const pages: string[] = [];
    page.on('request', (request) => {
      if (/\/history/.test(request.url())) pages.push(new URL(request.url()).search);
    });
    await page.goto(`/app/conversations/dm:gus?message=${ids[100]}`);
    await visible(page, 'Line 100 of gus').toBe(true);
    await marked(page).toBe('Line 100 of gus');
    await page.getByLabel('Message gus').waitFor();
    expect(pages.filter((search) => !search.includes('around='))).toEqual([]);
    await expect
      .poll(async () => {
        await logOf(page).evaluate((log) => log.scrollTo(0, 0));
        return line(page, 'Line 0 of gus').count();
      })
      .toBe(1);
    await expect
      .poll(async () => {
        await logOf(page).evaluate((log) => log.scrollTo(0, log.scrollHeight));
        return isInLog(page, line(page, `Line ${long - 1} of gus`));
      })
      .toBe(true);
    await page.getByRole('button', { name: 'Jump to latest' }).waitFor({ state: 'detached' });
    await tell('gus', 1, () => 'Live at the end');
    await visible(page, 'Live at the end').toBe(true);
    await opened.context.close();
  });

  it('goes to its latest message by End', async () => {
    const { page, context } = await shared.open('ada', {
      path: `/app/conversations/dm:gus?message=${ids[100]}`,
    });
    await visible(page, 'Line 100 of gus').toBe(true);
    await logOf(page).focus();
    await page.keyboard.press('End');
    await visible(page, `Line ${long - 1} of gus`).toBe(true);
    await page.getByRole('button', { name: 'Jump to latest' }).waitFor({ state: 'detached' });
    await context.close();
  });

  it('jumps from an old message to the latest one', async () => {
    const { page, context } = await shared.open('ada', {
      path: `/app/conversations/dm:gus?message=${ids[50]}`,
    });
    await visible(page, 'Line 50 of gus').toBe(true);
    await page.getByRole('button', { name: 'Jump to latest' }).click();
    await visible(page, `Line ${long - 1} of gus`).toBe(true);
    await expect.poll(() => page.url()).not.toContain('message=');
    await page.reload();
    await visible(page, `Line ${long - 1} of gus`).toBe(true);
    await context.close();
  });

  it('is where it was left when the member comes back', async () => {
    const { page, context } = await shared.open('ada', {
      path: `/app/conversations/dm:gus?message=${ids[50]}`,
    });
    await visible(page, 'Line 50 of gus').toBe(true);
    await logOf(page).focus();
    await page.keyboard.press('PageUp');
    await expect.poll(() => isInLog(page, line(page, 'Line 50 of gus'))).toBe(false);
    await visible(page, 'Line 40 of gus').toBe(true);
    // A wheel seldom leaves a message at the edge.
    await logOf(page).evaluate((log) => log.scrollBy(0, -17));
    const before = await below(page, line(page, 'Line 40 of gus'));
    await page.getByRole('link', { name: 'Files' }).first().click();
    await page.getByRole('heading', { name: 'Files', level: 1 }).waitFor();
    await page.goBack();
    await visible(page, 'Line 40 of gus').toBe(true);
    expect(Math.abs((await below(page, line(page, 'Line 40 of gus'))) - before)).toBeLessThan(2);
    await context.close();
  });
});
