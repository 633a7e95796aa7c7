/** Mentions, channels, and addresses of this console in a message are shown as what they lead to. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';

let shared: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);
beforeAll(async () => {
  shared = await startConsole({ members: { ada: ['admin'], ben: [], 'bot-7': [] } });
  await shared.team.as('ada').call('createChannel', { body: { slug: 'deck-plans' } });
});
afterAll(() => shared?.stop());

const log = (page: Page) => page.getByRole('log', { name: 'Messages' });
const text = (page: Page) => page.getByLabel(/^Message #?general/);
const say = async (body: string) =>
  (await shared.team.as('ben').call('push', { body: { to: null, body } })).message.id;

it('shows mentions of members and channels as links, and everything else as it was written', async () => {
  await say('Ask @ada or **@bot-7**. See #deck-plans, not #nowhere, @nobody, a@ben.example, or `@ada`.');
  const { page, context, errors } = await shared.open('ada', { path: '/app/conversations/general' });
  const message = log(page).getByRole('article').filter({ hasText: 'not #nowhere' });
  await message.getByRole('link', { name: '@bot-7' }).waitFor();
  await message.getByRole('link', { name: '#deck-plans' }).waitFor();
  expect(await message.getByRole('link').allTextContents()).toEqual(['@ada', '@bot-7', '#deck-plans']);
  expect(await message.locator('mark').allTextContents()).toEqual(['@ada']);
  await message.getByRole('link', { name: '@bot-7' }).click();
  await page.getByRole('region', { name: 'Member bot-7' }).waitFor();
  await page.goBack();
  await message.getByRole('link', { name: '#deck-plans' }).click();
  await page.getByRole('heading', { name: '#deck-plans', level: 1 }).waitFor();
  expect(errors).toEqual([]);
  await context.close();
});

it('shows a mention as what mentions: in any case, beside any script, and not as the scope of a package', async () => {
  await say('交给@ADA处理, _@Bot-7_, <b>@ben</b>, @ada/kit, and [@ben](https://x.example)');
  const { page, context, errors } = await shared.open('ada', { path: '/app/conversations/general' });
  const message = log(page).getByRole('article').filter({ hasText: '处理' });
  await message.getByRole('link', { name: '@ADA' }).waitFor();
  expect(await message.locator('a[href^="/app/admin/people"]:not(header *)').allTextContents()).toEqual(
    expect.arrayContaining(['@ADA', '@Bot-7', '@ben']),
  );
  expect(await message.locator('mark').allTextContents()).toEqual(['@ADA']);
  await message.getByRole('link', { name: '@Bot-7' }).click();
  await page.getByRole('region', { name: 'Member bot-7' }).waitFor();
  expect(errors).toEqual([]);
  await context.close();
});

it('shows addresses of this console by what they lead to, and others as addresses', async () => {
  const { id } = await shared.team.as('ada').call('createObjective', {
    body: { title: 'Draw the coast', outcome: 'x', assignee: 'ada', body: '', watchers: [] },
  });
  const asked = await say('Where is the chart?');
  const base = `${shared.team.url}/app`;
  await say(
    [
      `${base}/objectives/${id}`,
      `${base}/conversations/general?message=${asked}`,
      `${base}/members/ben`,
      'https://example.com/app/members/ben',
    ].join(' and '),
  );
  const { page, context, errors } = await shared.open('ada', { path: '/app/conversations/general' });
  const message = log(page).getByRole('article').filter({ hasText: 'example.com' });
  await message.getByRole('link', { name: 'Draw the coast' }).waitFor();
  await message.getByRole('link', { name: 'ben in #general: Where is the chart?' }).waitFor();
  await message.getByRole('link', { name: '@ben' }).waitFor();
  await message.getByRole('link', { name: 'https://example.com/app/members/ben' }).waitFor();
  await message.getByRole('link', { name: 'Draw the coast' }).click();
  await page.getByRole('heading', { name: 'Draw the coast', level: 1 }).waitFor();
  expect(context.pages()).toHaveLength(1);
  expect(errors).toEqual([]);
  await context.close();
});

it('shows mentions and addresses also in the description, the outcome, and the result of an objective', async () => {
  const chart = await shared.team.as('ada').call('createObjective', {
    body: { title: 'Draw the lagoon', outcome: 'A chart', assignee: 'ben', body: '', watchers: [] },
  });
  const address = `${shared.team.url}/app/objectives/${chart.id}`;
  const { id } = await shared.team.as('ada').call('createObjective', {
    body: {
      title: 'Print the charts',
      outcome: 'All of #deck-plans is printed, and @bot-7 agrees with @nobody.',
      assignee: 'ben',
      body: `It follows ${address}`,
      watchers: [],
    },
  });
  await shared.team
    .as('ben')
    .call('completeObjective', { params: { id }, body: { result: 'Printed for @ada' } });
  for (const path of [`/app/objectives/${id}`, `/app/objectives?status=any&peek=${id}`]) {
    const { page, context, errors } = await shared.open('ada', { path });
    const part = (name: string) => page.getByRole('region', { name, exact: true });
    await part('Desired outcome').getByRole('link', { name: '#deck-plans' }).waitFor();
    await part('Desired outcome').getByRole('link', { name: '@bot-7' }).waitFor();
    expect(await part('Desired outcome').getByRole('link', { name: '@nobody' }).count()).toBe(0);
    await part('State').locator('mark').getByRole('link', { name: '@ada' }).waitFor();
    await part('Description').getByRole('link', { name: 'Draw the lagoon' }).click();
    await page.getByRole('heading', { name: 'Draw the lagoon', level: 1 }).waitFor();
    expect(context.pages()).toHaveLength(1);
    expect(errors).toEqual([]);
    await context.close();
  }
});

it('completes members and channels by keyboard', async () => {
  const { page, context, errors } = await shared.open('ada', { path: '/app/conversations/general' });
  await text(page).pressSequentially('see #de');
  await page.getByRole('option', { name: '#deck-plans' }).waitFor();
  await page.keyboard.press('Enter');
  await expect.poll(() => text(page).inputValue()).toBe('see #deck-plans ');
  await text(page).pressSequentially('@bot');
  await page.getByRole('option', { name: '@bot-7' }).waitFor();
  await page.keyboard.press('Tab');
  await expect.poll(() => text(page).inputValue()).toBe('see #deck-plans @bot-7 ');
  await text(page).fill('');
  expect(errors).toEqual([]);
  await context.close();
});

it('completes members by touch, and the text keeps the focus', async () => {
  const { page, context, errors } = await shared.open('ada', {
    path: '/app/conversations/general',
    width: 390,
    touch: true,
  });
  await text(page).tap();
  await text(page).pressSequentially('@b');
  const option = page.getByRole('option', { name: '@bot-7' });
  await option.waitFor();
  expect((await option.boundingBox())?.height).toBeGreaterThanOrEqual(40);
  await option.tap();
  await expect.poll(() => text(page).inputValue()).toBe('@bot-7 ');
  await expect.poll(() => page.evaluate('document.activeElement.tagName')).toBe('TEXTAREA');
  expect(errors).toEqual([]);
  await context.close();
});
