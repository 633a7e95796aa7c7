/**
 * Live updates: browsers of one member stay in step, a lost network loses nothing, and everything works by
 * keyboard and at the width of a phone.
 */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { type Demo, demoMembers, fillTeam } from './testing/demo-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';
import { watchFor } from './testing/passing-words.ts';
import { screensOf, visitScreen } from './testing/screens.ts';

let shared: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);
let demo: Demo;
beforeAll(async () => {
  shared = await startConsole({ members: demoMembers });
  demo = await fillTeam(shared.team);
});
afterAll(() => shared?.stop());

const say = (name: string, body: string, to: string | null = null) =>
  shared.team.as(name).call('push', { body: { to, body } });
const log = (page: Page) => page.getByRole('log', { name: 'Messages' });
const unread = (page: Page) =>
  page
    .getByRole('navigation', { name: 'Main' })
    .getByText('Unread direct messages and mentions: 1', { exact: true });

describe('two browsers of one member', () => {
  it('show each message once, whoever sent it, and share what was read', async () => {
    const one = await shared.open('kim', { path: '/app/conversations/general' });
    const two = await shared.open('kim', { path: '/app/objectives' });
    await log(one.page).getByText('Gusts from the').waitFor();
    await two.page.getByRole('heading', { name: 'Objectives' }).waitFor();
    await say('ben', 'Only for kim', 'kim');
    await unread(one.page).waitFor();
    await unread(two.page).waitFor();
    await one.page.getByRole('link', { name: /^ben/ }).click();
    await log(one.page).getByText('Only for kim').waitFor();
    await unread(one.page).waitFor({ state: 'detached' });
    await unread(two.page).waitFor({ state: 'detached' });
    await one.page.getByLabel('Message ben').fill('From the first browser');
    await one.page.keyboard.press('Enter');
    await two.page.goto('/app/conversations/dm:ben');
    await log(two.page).getByText('From the first browser').waitFor();
    // While it is there, the first message is still being sent.
    await expect.poll(() => one.page.getByLabel('Message ben').inputValue()).toBe('');
    await one.page.getByLabel('Message ben').fill('And once more');
    await one.page.keyboard.press('Enter');
    await log(two.page).getByText('And once more').waitFor();
    expect(await log(one.page).getByText('And once more').count()).toBe(1);
    expect([...one.errors, ...two.errors]).toEqual([]);
    await one.context.close();
    await two.context.close();
  });
});

it('a page that draws no frame shows what arrives', async () => {
  const { page, context } = await shared.open('kim', { path: '/app/objectives' });
  await page.getByRole('heading', { name: 'Objectives' }).waitFor();
  await page.evaluate('window.requestAnimationFrame = () => 0');
  await say('ben', 'Nobody looks', 'kim');
  await unread(page).waitFor();
  await context.close();
});

describe('a run of a member', () => {
  it('is shown while it lasts: its agent, its host, and since when', async () => {
    const { page, context } = await shared.open('ada', { path: '/app/admin/people?member=ben' });
    const stream = await shared.team.stream('ben');
    const body = { runId: crypto.randomUUID(), host: 'mill', agent: 'Claude Code 2' };
    await shared.team.as('ben').call('takeRun', { body });
    const shown = page.getByText('Claude Code 2 runs on mill since');
    await shown.waitFor();
    await shared.team.as('ben').call('endRun', { params: { id: body.runId } });
    await shown.waitFor({ state: 'detached' });
    stream.close();
    await context.close();
  });
});

describe('a lost network', () => {
  it('leaves the screen, shows a banner, and recovers without losing or duplicating a message', async () => {
    const { page, context } = await shared.open('ada', { path: '/app/conversations/general' });
    await log(page).getByText('Gusts from the').waitFor();
    await say('ben', 'before the gap');
    await log(page).getByText('before the gap').waitFor();
    await context.setOffline(true);
    const cdp = await context.newCDPSession(page);
    await cdp.send('Network.enable');
    await cdp.send('Network.emulateNetworkConditions', {
      offline: true,
      latency: 0,
      downloadThroughput: 0,
      uploadThroughput: 0,
    });
    await page.getByLabel(/^Message #?general/).fill('written without a network');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('cannot be reached', { exact: false }).waitFor();
    expect(await page.getByLabel(/^Message #?general/).inputValue()).toBe('written without a network');
    for (let n = 0; n < 5; n++) await say('ben', `in the gap ${n}`);
    await cdp.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: 0,
      downloadThroughput: -1,
      uploadThroughput: -1,
    });
    await context.setOffline(false);
    await page.getByRole('button', { name: 'Send' }).click();
    for (let n = 0; n < 5; n++) await log(page).getByText(`in the gap ${n}`).waitFor();
    await log(page).getByText('written without a network').waitFor();
    for (const words of ['before the gap', 'in the gap 2', 'written without a network'])
      expect(await log(page).getByText(words).count(), words).toBe(1);
    await context.close();
  });

  it('shows a banner while the broker is away, and afterwards what was missed', async () => {
    const onDisk = await startConsole({ onDisk: true });
    try {
      const { page } = await onDisk.open('ada', { path: '/app/conversations/general' });
      await page.getByText('No messages yet').waitFor();
      await onDisk.team.as('ben').call('push', { body: { to: null, body: 'first' } });
      await log(page).getByText('first').waitFor();
      let letGo = () => {};
      const isSeen = new Promise<void>((resolve) => {
        letGo = resolve;
      });
      // The connection would be back before the test could see the banner.
      await page.route('**/subscribe**', async (route) => {
        await isSeen;
        await route.continue();
      });
      const restarted = onDisk.team.restart();
      await page.getByText('The broker cannot be reached.', { exact: false }).waitFor();
      expect(await log(page).getByText('first').count()).toBe(1);
      await restarted;
      await onDisk.team.as('ben').call('push', { body: { to: null, body: 'second' } });
      letGo();
      await log(page).getByText('second').waitFor();
      await page.getByText('The broker cannot be reached.', { exact: false }).waitFor({ state: 'detached' });
      expect(await log(page).getByText('second').count()).toBe(1);
    } finally {
      await onDisk.stop();
    }
  });
});

describe('by keyboard alone', () => {
  it('turns a pending device into an approved member', async () => {
    const { page, errors, context } = await shared.open('ada');
    await page.getByRole('heading', { name: 'Inbox' }).waitFor();
    // A key sequence times out, so no time passes between its keys.
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 60_000);
    await page.keyboard.press('g');
    await page.keyboard.press('d');
    await page.clock.resume();
    await page.getByText('laptop of kim').waitFor();
    const row = page.getByRole('listitem').filter({ hasText: 'laptop of kim' });
    const code = await row.getByRole('code').textContent();
    for (let n = 0; n < 60; n++) {
      await page.keyboard.press('Tab');
      if (
        await row
          .getByRole('button', { name: 'Approve…' })
          .evaluate((it) => it === it.ownerDocument.activeElement)
      )
        break;
    }
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: `Approve ${code}` });
    await dialog.waitFor();
    await expect.poll(() => focused(page)).toBe('BUTTON Member');
    await page.getByRole('option', { name: 'kim', includeHidden: true }).waitFor({ state: 'attached' });
    await page.keyboard.type('kim');
    await page.keyboard.press('Tab');
    await page.keyboard.type(' 2');
    await expect.poll(() => dialog.getByRole('button', { name: 'Approve device' }).isEnabled()).toBe(true);
    const approved = await watchFor(page, `${code} was approved as kim`);
    await page.keyboard.press('Enter');
    await approved();
    expect(errors).toEqual([]);
    await context.close();
  });

  it('opens everything from the palette, lists the keys, and returns the focus on Esc', async () => {
    const { page, context } = await shared.open('ada', { path: '/app/objectives' });
    await page.getByText('Answer the pilots').waitFor();
    await page.keyboard.press('/');
    await expect.poll(() => focused(page)).toBe('INPUT Filter objectives');
    await page.keyboard.type('g h ? c');
    expect(page.url()).toContain('/app/objectives');
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog', { name: 'Command palette' }).waitFor();
    // The palette takes the focus a moment after it appears, and returns only a focus that it took.
    await expect.poll(() => focused(page)).toBe('INPUT Search screens, members, and commands');
    await page.keyboard.press('Escape');
    await expect.poll(() => focused(page)).toBe('INPUT Filter objectives');
    await layer(page).waitFor({ state: 'detached' });
    await page.getByLabel('Filter objectives').fill('');
    await page.getByRole('button', { name: 'Board' }).focus();
    await page.keyboard.press('?');
    const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await sheet.getByRole('region', { name: 'Everywhere' }).getByText('Filter this screen').waitFor();
    await expect.poll(() => focused(page)).not.toBe('BUTTON Board');
    await page.keyboard.press('Escape');
    await expect.poll(() => focused(page)).toBe('BUTTON Board');
    await layer(page).waitFor({ state: 'detached' });
    await page.keyboard.press('c');
    await page.getByRole('dialog', { name: 'New objective' }).waitFor();
    await expect.poll(() => focused(page)).toMatch(/^INPUT/);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.keyboard.press('Control+k');
    await expect.poll(() => focused(page)).toBe('INPUT Search screens, members, and commands');
    await page.keyboard.type('message ben');
    await page.getByRole('option', { name: /^Message ben/, selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'ben', level: 1 }).waitFor();
    await context.close();
  });
});

/** While a layer is there, also while it closes, single keys do nothing. */
const layer = (page: Page) => page.locator('[role=dialog]');

/** The tag and name of the focused element. */
const focused = (page: Page) =>
  page.evaluate(
    `(() => { const it = document.activeElement; return it.tagName + ' ' + (it.getAttribute('aria-label') ?? it.labels?.[0]?.textContent ?? ''); })()`,
  );

/** The page, and every part of it that scrolls only vertically, whose content is wider than itself. */
const cutParts = `[document.documentElement, ...document.querySelectorAll('main *, [role=dialog] *')]
  .filter((it) => it.scrollWidth > it.clientWidth + 1 && (it === document.documentElement || getComputedStyle(it).overflowY === 'auto' && it.clientWidth > 0))
  .filter((it) => !it.matches('pre, textarea, [aria-label=Board]') && getComputedStyle(it).overflowX !== 'visible' && !it.classList.contains('overflow-x-auto'))
  .map((it) => it.tagName + ' ' + (it.getAttribute('aria-label') ?? it.className) + ' by ' + (it.scrollWidth - it.clientWidth) + ' px')`;

describe('a narrow screen', () => {
  it.each([
    ['360 px', 360, 740],
    // 1280 px at 200%.
    ['200 % zoom', 640, 430],
  ])('of %s scrolls no page sideways and reaches every conversation', async (_, width, height) => {
    const { page, context } = await shared.open('ada', { width, height });
    const wide: string[] = [];
    for (const screen of screensOf(demo).filter(({ name }) => name !== 'palette')) {
      await visitScreen(page, screen).catch((error: unknown) =>
        wide.push(`${screen.name}: ${String(error).slice(0, 200)}`),
      );
      const cut = (await page.evaluate(cutParts)) as string[];
      wide.push(...cut.map((part) => `${screen.name}: ${part}`));
    }
    expect(wide).toEqual([]);
    await page.goto('/app/conversations/general');
    await log(page).waitFor();
    const way = page.getByRole('button', { name: 'All conversations' });
    if (width < 640) await way.click();
    await page.getByRole('navigation', { name: 'Conversations' }).getByRole('link', { name: /^ben/ }).click();
    await page.getByRole('heading', { name: 'ben', level: 1 }).waitFor();
    await log(page).getByText('Can you look at sheet 4?').waitFor();
    await context.close();
  });
});
