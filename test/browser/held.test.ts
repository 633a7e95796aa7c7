/** Held posts: the console shows them live where a person looks, and a person releases and drops them. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';
import { focused } from './testing/focused.ts';

let shared: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);
beforeAll(async () => {
  shared = await startConsole({ members: { ada: ['admin'], ben: [], cy: [] } });
});
afterAll(() => shared?.stop());
afterEach(async () => {
  for (const { id } of await heldPosts()) await shared.team.as('ada').call('dropHeld', { params: { id } });
});

const heldPosts = async () => (await shared.team.as('ada').call('heldPosts', {})).held;
/** Has cy answer ben so often that its posts are held. */
async function hold(...bodies: string[]): Promise<void> {
  await shared.team.as('ada').call('updateTeam', { body: { maxAgentHops: 1 } });
  const ask = await shared.team.as('ben').call('push', { body: { body: 'and now?', causes: [] } });
  for (const body of bodies)
    await shared.team.as('cy').call('push', { body: { body, causes: [ask.message.id] } });
}

it('shows held posts in the inbox and in their conversation, live, and releases and drops them', async () => {
  await shared.team.as('ada').call('updateTeam', { body: { maxAgentHops: 1 } });
  await shared.team.fetch('cy', '/fs/write?path=/cy/log.txt&mime=text/plain', {
    method: 'POST',
    body: 'log',
  });
  const { page, context, errors } = await shared.open('ada', { path: '/app' });
  await page.getByRole('heading', { name: 'Inbox', level: 1 }).waitFor();
  const ask = await shared.team.as('ben').call('push', { body: { body: 'who is there?', causes: [] } });
  const answer = (body: string) =>
    shared.team
      .as('cy')
      .call('push', { body: { body, causes: [ask.message.id], attachments: ['/cy/log.txt'] } });
  await answer('I am here');
  await page.getByRole('link', { name: /A post by cy is held in #general\s*I am here/ }).click();
  await page.getByText('1 post of agents held').waitFor();
  await page.getByText('2 posts by agents in a row').waitFor();
  await page.getByText('I am here', { exact: true }).first().waitFor();
  await page.getByText('Attached: /cy/log.txt').waitFor();
  await page
    .getByRole('region', { name: /of agents held/ })
    .getByRole('button', { name: 'Release' })
    .click();
  await page.getByText('The post was released').waitFor();
  await page.getByText('1 post of agents held').waitFor({ state: 'detached' });
  await focused(page).toBe('textarea Message #general');
  const { messages } = await shared.team.as('ben').call('history', { query: {} });
  expect(messages[0]).toMatchObject({ from: 'cy', body: 'I am here', agent: { hops: 0 } });

  await page.goto(`${shared.team.url}/app/conversations/general`);
  // The release counts as a person's word, which the next chain follows.
  const again = await shared.team.as('ben').call('push', { body: { body: 'and you?', causes: [] } });
  await shared.team.as('cy').call('push', { body: { body: 'me too', causes: [again.message.id] } });
  await page.getByText('1 post of agents held').waitFor();
  await page.getByRole('button', { name: 'Drop' }).click();
  await page.getByText('1 post of agents held').waitFor({ state: 'detached' });
  await focused(page).toBe('textarea Message #general');
  await page.locator('[data-notice]').getByLabel('Dismiss').first().click();
  await expect.poll(heldPosts).toEqual([]);
  expect(errors).toEqual([]);
  await context.close();
});

it.each([
  { width: 1280, height: 860 },
  { width: 390, height: 844 },
])('leaves the thread the larger part at $width pixels', async (size) => {
  await hold(...Array.from({ length: 6 }, (_, n) => `${'word '.repeat(190)}${n}`));
  const { page, context, errors } = await shared.open('ada', { path: '/app/conversations/general', ...size });
  await page.getByText('6 posts of agents held').waitFor();
  const heightOf = async (name: string) =>
    (await page.getByRole(name === 'Messages' ? 'log' : 'region', { name }).boundingBox())?.height ?? 0;
  expect(await heightOf('Messages')).toBeGreaterThan(await heightOf('6 posts of agents held'));
  expect(errors).toEqual([]);
  await context.close();
});

it('drops a post only when its notice goes away, or a later post of its writer is released, and Undo keeps it', async () => {
  await hold('the first', 'the second');
  const { page, context, errors } = await shared.open('ada', { path: '/app/conversations/general' });
  const post = (text: string) => page.locator('li[id^=held-]').filter({ hasText: text });
  const notice = page.locator('[data-notice]').filter({ hasText: 'The post was dropped' });
  await post('the first').getByRole('button', { name: 'Drop' }).click();
  await post('the first').waitFor({ state: 'detached' });
  expect(await heldPosts()).toHaveLength(2);
  await notice.getByRole('button', { name: 'Undo' }).click();
  await post('the first').waitFor();
  await notice.waitFor({ state: 'detached' });
  expect(await heldPosts()).toHaveLength(2);
  await post('the first').getByRole('button', { name: 'Drop' }).click();
  await post('the second').getByRole('button', { name: 'Release' }).click();
  await page.getByRole('log').getByText('the second').waitFor();
  expect(await heldPosts()).toEqual([]);
  await notice.getByRole('button', { name: 'Undo' }).click();
  await page.getByText('The post is already dropped').waitFor();
  expect(errors).toEqual([]);
  await context.close();
});

it('leaves the inbox with a dropped post, and a release from there drops the earlier ones first', async () => {
  await hold('the third', 'the fourth');
  const { page, context, errors } = await shared.open('ada', { path: '/app' });
  const row = (text: string) =>
    page.getByRole('link', { name: new RegExp(`A post by cy is held.*${text}`, 's') });
  await row('the third').click();
  const post = page.locator('li[id^=held-]').filter({ hasText: 'the third' });
  await post.getByRole('button', { name: 'Drop' }).click();
  await row('the third').waitFor({ state: 'detached' });
  expect(await heldPosts()).toHaveLength(2);
  // News of another item bring the list anew from the broker, which still holds the post.
  await shared.team.as('ben').call('push', { body: { to: 'ada', body: 'Hello' } });
  await page.getByRole('link', { name: /1 direct message from ben/ }).waitFor();
  expect(await row('the third').count()).toBe(0);
  await row('the fourth').focus();
  // A row that has just moved takes no key for a moment.
  await expect
    .poll(async () => {
      await page.keyboard.press('a');
      return page.getByText('The post was released').count();
    })
    .toBe(1);
  await expect.poll(heldPosts).toEqual([]);
  const { messages } = await shared.team.as('ben').call('history', { query: {} });
  expect(messages.some(({ body }) => body === 'the third')).toBe(false);
  expect(errors).toEqual([]);
  await context.close();
});

it('shows a dropped post again after Undo, and when the broker refuses to drop it, although its lists were read meanwhile', async () => {
  await hold('the fifth');
  const { page, context } = await shared.open('ada', { path: '/app' });
  const row = page.getByRole('link', { name: /A post by cy is held.*the fifth/s });
  const post = page.locator('li[id^=held-]').filter({ hasText: 'the fifth' });
  const notice = page.locator('[data-notice]').filter({ hasText: 'The post was dropped' });
  const drop = async (news: string) => {
    await post.getByRole('button', { name: 'Drop' }).click();
    await row.waitFor({ state: 'detached' });
    await shared.team.as('ben').call('push', { body: { to: 'ada', body: news } });
    await page.getByRole('link', { name: new RegExp(news) }).waitFor();
  };
  await row.click();
  await drop('First news');
  await notice.getByRole('button', { name: 'Undo' }).click();
  await row.waitFor();
  await post.waitFor();
  await drop('Second news');
  await page.route('**/held/**', (route) => route.fulfill({ status: 500, body: '{}' }));
  await notice.getByLabel('Dismiss').click();
  await page.getByText('The action failed').first().waitFor();
  await row.waitFor();
  await post.waitFor();
  expect(await heldPosts()).toHaveLength(1);
  await context.close();
});

it.each([
  { way: 'is reloaded', leave: (page: Page) => page.reload() },
  { way: 'is left', leave: (page: Page) => page.goto('about:blank') },
])('is dropped when the page $way before its notice goes away', async ({ leave }) => {
  await hold('the tenth');
  const { page, context } = await shared.open('ada', { path: '/app/conversations/general' });
  const post = page.locator('li[id^=held-]').filter({ hasText: 'the tenth' });
  await post.getByRole('button', { name: 'Drop' }).click();
  await post.waitFor({ state: 'detached' });
  expect(await heldPosts()).toHaveLength(1);
  await leave(page);
  await expect.poll(heldPosts).toEqual([]);
  await context.close();
});

it('is alone in its item of the inbox, although the same writer has others in the conversation', async () => {
  await hold('the eleventh', 'the twelfth');
  const { page, context, errors } = await shared.open('ada', { path: '/app' });
  await inboxRow(page, 'the twelfth').click();
  const item = page.getByRole('region', { name: 'Opened item' });
  await item.getByText('1 post of agents held').waitFor();
  expect(await item.locator('li[id^=held-]').allTextContents()).toEqual([
    expect.stringContaining('the twelfth'),
  ]);
  expect(errors).toEqual([]);
  await context.close();
});

const inboxRow = (page: Page, text: string) =>
  page.getByRole('link', { name: new RegExp(`A post by cy is held.*${text}`, 's') });

it('is not released by a key that was meant for another post', async () => {
  await hold('the fifth', 'the sixth');
  const { page, context, errors } = await shared.open('ada', { path: '/app' });
  await inboxRow(page, 'the fifth').click();
  await page.getByRole('region', { name: 'Opened item' }).getByText('the fifth').first().waitFor();
  await page.evaluate('document.activeElement.blur()');
  await page.keyboard.press('a');
  // A release would have been sent before this mark, which the broker has.
  await inboxRow(page, 'the sixth').focus();
  await page.keyboard.press('e');
  const texts = async () => (await shared.team.as('ada').call('inbox', {})).items.map(({ detail }) => detail);
  await expect.poll(texts).not.toContain('the sixth');
  expect(await heldPosts()).toHaveLength(2);
  await page.keyboard.press('z');
  await inboxRow(page, 'the sixth').waitFor();
  await inboxRow(page, 'the sixth').click();
  await inboxRow(page, 'the fifth').focus();
  await page.keyboard.down('a');
  await page.keyboard.down('a');
  await page.keyboard.up('a');
  await inboxRow(page, 'the fifth').waitFor({ state: 'detached' });
  // The next post has come into the place of the released one, and has the focus.
  await expect.poll(() => page.locator(':focus').textContent()).toContain('the sixth');
  await page.keyboard.press('a');
  await page.getByText('Nothing was released').waitFor();
  expect((await heldPosts()).map(({ excerpt }) => excerpt)).toEqual(['the sixth']);
  await page.getByRole('region', { name: 'Opened item' }).getByRole('button', { name: 'Release' }).click();
  await expect.poll(heldPosts).toEqual([]);
  expect(errors).toEqual([]);
  await context.close();
});

it('is not released by the second key of two, however late it comes, unless something else was done in between', async () => {
  await hold('the ninth');
  const { page, context, errors } = await shared.open('ada', { path: '/app' });
  await page.clock.install();
  await inboxRow(page, 'the ninth').focus();
  await page.keyboard.press('g');
  await page.clock.fastForward(60_000);
  await page.keyboard.press('a');
  await page.waitForURL('**/app/activity**');
  expect(await heldPosts()).toHaveLength(1);
  await page.keyboard.press('g');
  await page.keyboard.press('h');
  await inboxRow(page, 'the ninth').focus();
  await page.keyboard.press('g');
  await page.keyboard.press('Escape');
  await page.clock.fastForward(60_000);
  await page.keyboard.press('a');
  await expect.poll(heldPosts).toEqual([]);
  expect(new URL(page.url()).pathname).toBe('/app');
  expect(errors).toEqual([]);
  await context.close();
});

it('is not released by a click on a row that has just moved', async () => {
  await hold('the seventh');
  const { page, context, errors } = await shared.open('ada', { path: '/app' });
  await inboxRow(page, 'the seventh').waitFor();
  const release = page
    .getByRole('listitem')
    .filter({ hasText: 'the seventh' })
    .getByRole('button', { name: 'Release' });
  // The page itself clicks as soon as a row comes before this one: a click from here may come after the moment.
  await page.evaluate(`(() => {
    const button = document.querySelector('[data-primary]');
    const observer = new MutationObserver(() => {
      if (!document.querySelector('main').textContent.includes('Fire')) return;
      observer.disconnect();
      button.click();
    });
    observer.observe(document.body, { childList: true, subtree: true });
  })()`);
  // A critical message comes before it, so that its row moves down.
  await shared.team.as('ben').call('push', { body: { to: 'ada', body: 'Fire', level: 'critical' } });
  await page.getByRole('link', { name: /Critical message from ben/ }).waitFor();
  await page.getByText('Nothing was released').waitFor();
  expect(await heldPosts()).toHaveLength(1);
  await page.getByText('Nothing was released').waitFor({ state: 'detached' });
  await release.click();
  await expect.poll(heldPosts).toEqual([]);
  expect(errors).toEqual([]);
  await context.close();
});

it('is not released by Enter in the palette when another one comes before it', async () => {
  await hold('the eighth');
  const { page, context, errors } = await shared.open('ada', { path: '/app/admin/team' });
  await page.getByRole('heading', { name: 'Team', level: 1 }).waitFor();
  await page.keyboard.press('ControlOrMeta+k');
  await page.getByRole('combobox', { name: /^Search screens/ }).fill('release post by');
  const active = page.getByRole('option', { selected: true });
  await expect.poll(() => active.textContent()).toContain('the eighth');
  await hold('a');
  await page.getByRole('option', { name: /^Release: .*: a/ }).waitFor();
  expect(await active.textContent()).toContain('the eighth');
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await heldPosts()).map(({ excerpt }) => excerpt)).toEqual(['a']);
  expect(errors).toEqual([]);
  await context.close();
});
