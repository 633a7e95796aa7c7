/** A conversation reads like a transcript: days, times, levels, and each text in its own direction. */
import type { Locator } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';

const dayMs = 86_400_000;
/** How far the broker's clock is behind. */
let behindMs = 2 * dayMs;
let shared: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);
beforeAll(async () => {
  shared = await startConsole({
    members: { ada: ['admin'], ben: [] },
    clock: () => Date.now() - behindMs,
  });
  const say = (body: string, level: 'info' | 'critical' = 'info') =>
    shared.team.as('ben').call('push', { body: { to: null, body, level } });
  await say('two days ago');
  behindMs = dayMs;
  await say('a day ago');
  behindMs = 0;
  await say('today');
  await say('a minute has not passed');
  await say('the boat sinks', 'critical');
  await say('שלום עולם\n\n- אחת\n- שתיים');
});
afterAll(() => shared?.stop());

const openGeneral = async (dark = false) => {
  const opened = await shared.open('ada', { path: '/app/conversations/general', dark });
  const log = opened.page.getByRole('log', { name: 'Messages' });
  await log.getByText('the boat sinks').waitFor();
  return { ...opened, log };
};

const styleOf = (place: Locator, property: string): Promise<string> =>
  place.evaluate(
    (element, name) =>
      element.ownerDocument.defaultView?.getComputedStyle(element).getPropertyValue(name) ?? '',
    property,
  );

describe('a conversation', () => {
  it('has a line with the name of each day', async () => {
    const { log, context } = await openGeneral();
    const before = new Date(Date.now() - 2 * dayMs);
    const named = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long' });
    const words = (await log.textContent()) ?? '';
    const places = [named.format(before), 'Yesterday', 'Today'].map((name) => words.indexOf(name));
    expect(places.every((place) => place >= 0)).toBe(true);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    await context.close();
  });

  it('shows the time of a grouped message under the pointer', async () => {
    const { log, context } = await openGeneral();
    const grouped = log.getByRole('article').filter({ hasText: 'a minute has not passed' });
    const time = grouped.locator('time');
    await expect.poll(() => styleOf(time.locator('..'), 'opacity')).toBe('0');
    await grouped.hover();
    await expect.poll(() => styleOf(time.locator('..'), 'opacity')).toBe('1');
    expect(await time.textContent()).toMatch(/^\d?\d:\d\d$/);
    await context.close();
  });

  it('shows the same kind of time beside a notice of the same day, which does not have the id of the objective', async () => {
    await shared.team.as('ada').call('createObjective', {
      body: { title: 'Draw the reef', outcome: 'It is drawn', assignee: 'ben', body: '' },
    });
    const { message } = await shared.team.as('ben').call('push', { body: { to: 'ada', body: 'Gone soon' } });
    await shared.team.as('ben').call('deleteMessage', { params: { id: message.id } });
    const { page, context } = await shared.open('ada', { path: '/app/conversations/dm:ben' });
    const times = page.getByRole('log').locator('time[title]');
    const notice = page.getByRole('article').filter({ hasText: 'ben deleted a message' });
    await notice.waitFor();
    for (const time of await times.allTextContents()) expect(time).toMatch(/^\d?\d:\d\d$/);
    const { objectives } = await shared.team.as('ada').call('objectives', { query: {} });
    await page.goto(`/app/conversations/obj:${objectives[0]?.id}`);
    await page.getByRole('log').getByText('ada created it and assigned it to ben').waitFor();
    expect(await page.getByRole('link', { name: 'Open the objective' }).count()).toBe(1);
    expect(await page.getByRole('log').textContent()).not.toContain(objectives[0]?.id);
    for (const time of await times.allTextContents()) expect(time).toMatch(/^\d?\d:\d\d$/);
    await context.close();
  });

  it('numbers a list from where it starts', async () => {
    await shared.team.as('ben').call('push', { body: { to: null, body: '7. seventh\n8. eighth' } });
    const { log, context } = await openGeneral();
    const list = log.getByRole('list').filter({ hasText: 'seventh' });
    expect(await list.getAttribute('start')).toBe('7');
    await context.close();
  });

  it('shows the level of a message that follows another one of the same sender', async () => {
    const { log, context } = await openGeneral();
    await log.getByRole('article').filter({ hasText: 'the boat sinks' }).getByText('critical').waitFor();
    await context.close();
  });

  it('shows each text, and what is being typed, in the direction of its script', async () => {
    const { page, log, context } = await openGeneral();
    expect(await styleOf(log.locator('p', { hasText: 'שלום' }), 'direction')).toBe('rtl');
    expect(await styleOf(log.locator('ul'), 'direction')).toBe('rtl');
    expect(await styleOf(log.locator('p', { hasText: 'the boat' }), 'direction')).toBe('ltr');
    const input = page.getByLabel(/^Message #?general/);
    await input.fill('שלום');
    expect(await styleOf(input, 'direction')).toBe('rtl');
    await context.close();
  });
});

describe('the text field of a message', () => {
  it('grows with wrapped lines up to ten lines', async () => {
    const { page, context } = await openGeneral();
    const input = page.getByLabel(/^Message #?general/);
    const height = async () => (await input.boundingBox())?.height ?? 0;
    const one = await height();
    await input.fill('word '.repeat(120));
    const wrapped = await height();
    expect(wrapped).toBeGreaterThan(one);
    await input.fill('line\n'.repeat(9));
    const ten = await height();
    await input.fill('line\n'.repeat(30));
    expect(await height()).toBe(ten);
    const perLine = Number.parseFloat(await styleOf(input, 'line-height'));
    expect(Math.abs(ten - one - 9 * perLine)).toBeLessThan(2);
    await context.close();
  });
});

describe('the theme', () => {
  it('is set before the first paint, in a dark system and when it was chosen', async () => {
    const { page, context } = await openGeneral(true);
    /** The scripts of the console never arrive, so only what is drawn first is on the screen. */
    await page.route('**/assets/index-*.js', () => undefined);
    const theme = () => page.evaluate('document.documentElement.dataset.theme');
    await page.goto('/app', { waitUntil: 'commit' });
    await expect.poll(theme).toBe('dark');
    await page.evaluate(`localStorage.setItem('muster.theme', 'light')`);
    await page.goto('/app', { waitUntil: 'commit' });
    await expect.poll(theme).toBe('light');
    await context.close();
  });
});
