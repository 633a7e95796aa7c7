/** Names as long as the broker allows, without a space, on a phone. */
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limits } from '#protocol/limits.ts';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { cutContent } from './testing/cut-content.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';
import { shortened } from './testing/shortened.ts';

const wide = (length: number) => 'W'.repeat(length);
const name = `w${wide(limits.memberName - 1)}`;
const writer = `v${'W'.repeat(limits.memberName - 1)}`;
const file = `/ada/${wide(200)}`;
let shared: ConsoleTeam;
let objectiveId: string;
let channelId: string;
showPagesOfFailures(() => shared?.browser);
beforeAll(async () => {
  shared = await startConsole({ members: { ada: ['admin'], [writer]: ['operator'] } });
  const ada = shared.team.as('ada');
  await ada.call('createMember', {
    body: { name, role: { title: wide(limits.roleTitle), description: wide(300) }, permissions: [] },
  } as never);
  const label = wide(limits.tokenLabel);
  const { userCode } = await ada.call('enroll', { body: { labelHint: label } });
  await ada.call('approveEnrollment', { body: { mode: 'bind', userCode, memberName: name, label } } as never);
  await ada.call('enroll', { body: { labelHint: label } });
  channelId = (await ada.call('createChannel', { body: { slug: 'w'.repeat(32) } })).id;
  await ada.call('joinChannel', { params: { slug: 'w'.repeat(32) }, body: { member: name } } as never);
  objectiveId = (
    await ada.call('createObjective', {
      body: { title: wide(200), outcome: wide(500), assignee: name, body: wide(500), watchers: ['ada'] },
    } as never)
  ).id;
  await ada.call('push', { body: { to: name, body: wide(500) } } as never);
  await ada.call('push', { body: { to: null, title: wide(200), body: `@${name} ${wide(500)}` } });
  await ada.call('setMemberKind', { params: { name }, body: { kind: 'agent' } } as never);
  await shared.team.as(writer).call('push', { body: { to: 'ada', title: wide(200), body: wide(500) } });
  await ada.call('createObjective', {
    body: { title: `b${wide(199)}`, outcome: 'Done', assignee: writer, body: '' },
  } as never);
  await ada.call('makeDirectory', { body: { path: `${file}folder` } } as never);
  const query = new URLSearchParams({ path: `${file}.txt`, mime: 'text/plain' });
  const headers = { 'content-type': 'application/octet-stream' };
  await shared.team.fetch('ada', `/fs/write?${query}`, { method: 'POST', headers, body: wide(500) });
});
afterAll(() => shared?.stop());

const button = (page: Page, label: string | RegExp) =>
  page.getByRole('button', { name: label }).first().click();
const none = () => Promise.resolve();
const dialogs: [string, () => string, (page: Page) => Promise<void>][] = [
  ['about a member', () => `/app/admin/people?member=${name}`, (page) => button(page, /^Delete w/)],
  ['about a device', () => '/app/admin/machines', (page) => button(page, /^Revoke W/)],
  ['about a file', () => '/app/files?path=/ada', (page) => button(page, /^Delete the file/)],
  ['about a folder', () => '/app/files?path=/ada', (page) => button(page, /^Delete the folder/)],
  ['with a file', () => `/app/files?path=/ada&file=${file}.txt`, none],
  ['with a channel', () => `/app/channels?channel=${channelId}`, none],
];

const heading = (level: number) => (page: Page) =>
  page.getByRole('heading', { level, name: /W{50}/ }).first().waitFor();
const text = (words: string | RegExp) => (page: Page) => page.getByText(words).first().waitFor();
const places: { title: string; path: () => string; ready: (page: Page) => Promise<unknown> }[] = [
  { title: 'the inbox', path: () => '/app', ready: text(/WWWWW/) },
  {
    title: 'an opened item of the inbox',
    path: () => '/app',
    ready: async (page) => {
      await page
        .getByRole('link', { name: /^1 direct message/ })
        .first()
        .click();
      await heading(2)(page);
    },
  },
  { title: 'the people', path: () => '/app/admin/people', ready: text(name) },
  { title: 'a member', path: () => `/app/admin/people?member=${name}`, ready: text(`Delete ${name}`) },
  {
    title: 'the question before a member is deleted',
    path: () => `/app/admin/people?member=${name}`,
    ready: async (page) => {
      await button(page, /^Delete w/);
      await page.getByRole('alertdialog').waitFor();
    },
  },
  { title: 'the machines', path: () => '/app/admin/machines', ready: text(/^Approve/) },
  { title: 'a direct conversation', path: () => `/app/conversations/dm:${writer}`, ready: heading(1) },
  { title: 'the general conversation', path: () => '/app/conversations/general', ready: text(/^W{200}/) },
  { title: 'the agents', path: () => '/app/agents', ready: text(name) },
  { title: 'an agent', path: () => `/app/agents?agent=${name}`, ready: heading(2) },
];

describe('a long name without a space, on a phone', () => {
  it.each(dialogs)('leaves room for the buttons of the dialog %s', async (_, path, act) => {
    const { page, context, errors } = await shared.open('ada', { width: 360, height: 740, path: path() });
    await act(page);
    const layer = page.getByRole('dialog').or(page.getByRole('alertdialog'));
    await layer.waitFor();
    const edges = () =>
      layer.locator('h2, header button, footer button').evaluateAll((all) =>
        all.map((one) => {
          const { left, right } = one.getBoundingClientRect();
          return left < 0 ? Number.MAX_VALUE : Math.ceil(Math.max(right, left + one.scrollWidth));
        }),
      );
    await expect.poll(async () => Math.max(...(await edges()))).toBeLessThanOrEqual(360);
    expect(errors).toEqual([]);
    await context.close();
  });

  it('does not make the page of an objective wider', async () => {
    const path = `/app/objectives/${objectiveId}`;
    const { page, context } = await shared.open('ada', { width: 360, height: 740, path });
    const heading = page.getByRole('heading', { level: 1 });
    await heading.filter({ hasText: /W{200}/ }).waitFor();
    expect(await page.evaluate('document.scrollingElement.scrollWidth')).toBe(360);
    await context.close();
  });

  it.each(places)('can be read, and cuts no control off: $title', async ({ path, ready }) => {
    const { page, context } = await shared.open('ada', { width: 360, height: 740, path: path() });
    await ready(page);
    await expect.poll(() => cutContent(page)).toEqual([]);
    await expect.poll(() => shortened(page, /W{20}/)).toEqual([]);
    await context.close();
  });
});

describe('a long name at the head of a screen, on a phone', () => {
  it.each([
    { place: 'a conversation', path: () => `/app/conversations/dm:${name}`, level: 1 },
    { place: 'an objective', path: () => `/app/objectives/${objectiveId}`, level: 1 },
    { place: 'a member', path: () => `/app/admin/people?member=${name}`, level: 2 },
  ])('takes two lines until a finger touches it: $place', async ({ path, level }) => {
    const { page, context, errors } = await shared.open('ada', {
      width: 360,
      height: 740,
      touch: true,
      path: path(),
    });
    await heading(level)(page);
    const title = page.getByRole('heading', { level, name: /W{50}/ }).first();
    const height = async () => (await title.boundingBox())?.height ?? 0;
    await expect.poll(height).toBeLessThanOrEqual(52);
    await title.tap();
    await expect.poll(height).toBeGreaterThan(60);
    expect(await title.evaluate((it) => it.scrollHeight <= it.clientHeight)).toBe(true);
    expect(errors).toEqual([]);
    await context.close();
  });

  it('leaves the height of a conversation to its messages if the role is long, too', async () => {
    const path = `/app/conversations/dm:${name}`;
    const { page, context, errors } = await shared.open('ada', {
      width: 360,
      height: 740,
      touch: true,
      path,
    });
    const header = page.locator('header').filter({ has: page.getByRole('heading', { level: 1 }) });
    const role = header.getByText(new RegExp(`^W{${limits.roleTitle}}$`));
    await role.waitFor();
    const height = async (it: Locator) => (await it.boundingBox())?.height ?? 0;
    await expect.poll(() => height(role)).toBeLessThanOrEqual(40);
    expect(await height(header)).toBeLessThan(170);
    await role.tap();
    await expect.poll(() => height(role)).toBeGreaterThan(50);
    expect(errors).toEqual([]);
    await context.close();
  });

  it('leaves a margin beside the tabs of Me', async () => {
    const { page, context } = await shared.open('ada', { width: 360, height: 740, path: '/app/me' });
    const tab = page.getByRole('tab', { name: 'Account' });
    await tab.waitFor();
    expect((await tab.boundingBox())?.x).toBeGreaterThanOrEqual(16);
    await context.close();
  });
});

describe('a long name', () => {
  it('is shown wholly over its row in the list of conversations when it is cut', async () => {
    const { page, context, errors } = await shared.open('ada', { path: `/app/conversations/dm:${name}` });
    await heading(1)(page);
    const row = page.getByRole('navigation', { name: 'Conversations' }).getByRole('link', { name });
    expect(await row.locator('.truncate').evaluate((it) => it.scrollWidth > it.clientWidth)).toBe(true);
    const shown = page.locator('[data-side]').filter({ hasText: name });
    // The code that shows it is loaded when the page is idle.
    await expect
      .poll(
        async () => {
          const isShown = (await shown.count()) > 0;
          if (!isShown) await page.mouse.move(0, 0);
          if (!isShown) await row.locator('.truncate').hover();
          return isShown;
        },
        { interval: 1000 },
      )
      .toBe(true);
    expect(errors).toEqual([]);
    await context.close();
  });

  it('leaves the empty text field of its conversation one line high on a phone', async () => {
    const path = `/app/conversations/dm:${name}`;
    const { page, context } = await shared.open('ada', { path, width: 360, height: 740 });
    const field = page.getByLabel(`Message ${name}`);
    await expect.poll(async () => (await field.boundingBox())?.height).toBeLessThanOrEqual(44);
    await context.close();
  });
});
