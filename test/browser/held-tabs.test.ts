/** A held post in two tabs of one browser: each says what the other decided. */
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';

let shared: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);
beforeAll(async () => {
  shared = await startConsole({ members: { ada: ['admin'], ben: [], cy: [] } });
  await shared.team.as('ada').call('updateTeam', { body: { maxAgentHops: 1 } });
});
afterAll(() => shared?.stop());
const heldPosts = async () => (await shared.team.as('ada').call('heldPosts', {})).held;
afterEach(async () => {
  for (const { id } of await heldPosts()) await shared.team.as('ada').call('dropHeld', { params: { id } });
});

async function openTwo(...bodies: string[]) {
  const ask = await shared.team.as('ben').call('push', { body: { body: 'and now?', causes: [] } });
  for (const body of bodies)
    await shared.team.as('cy').call('push', { body: { body, causes: [ask.message.id] } });
  const path = '/app/conversations/general';
  const { page, context, errors } = await shared.open('ada', { path });
  const other = await context.newPage();
  await other.goto(path);
  for (const one of [page, other]) await post(one, bodies[0] ?? '').waitFor();
  return { page, other, context, errors };
}
const post = (page: Page, text: string) => page.locator('li[id^=held-]').filter({ hasText: text });
const press = (page: Page, text: string, name: string) =>
  post(page, text).getByRole('button', { name }).click();
const notice = (page: Page) => page.locator('[data-notice]').filter({ hasText: 'The post was dropped' });
const bodies = async () =>
  (await shared.team.as('ben').call('history', { query: {} })).messages.map(({ body }) => body);

describe('a held post in two tabs', () => {
  it.each([
    { act: 'Release', isSent: true },
    { act: 'Drop', isSent: false },
  ])('leaves the other tab after $act in one', async ({ act, isSent }) => {
    const text = `decided by ${act}`;
    const { page, other, context, errors } = await openTwo(text);
    await press(page, text, act);
    if (act === 'Drop') await notice(page).getByLabel('Dismiss').click();
    await post(other, text).waitFor({ state: 'detached' });
    expect((await bodies()).includes(text)).toBe(isSent);
    expect(errors).toEqual([]);
    await context.close();
  });

  it.each([
    { when: 'goes away', button: 'Dismiss' },
    { when: 'is taken back', button: 'Undo' },
  ])('is released in one tab, and the drop of the other one says so when it $when', async ({ button }) => {
    const text = `released before ${button}`;
    const { page, other, context, errors } = await openTwo(text);
    await press(page, text, 'Drop');
    await post(page, text).waitFor({ state: 'detached' });
    await press(other, text, 'Release');
    await page.getByRole('log').getByText(text).waitFor();
    await notice(page)
      .getByLabel(button)
      .or(notice(page).getByText(button, { exact: true }))
      .click();
    await page.getByText('The post does not wait anymore').waitFor();
    expect(await page.getByText('The action failed').count()).toBe(0);
    expect(await bodies()).toContain(text);
    expect(errors.filter((one) => !one.includes('404'))).toEqual([]);
    await context.close();
  });
});
