/** The results of a search in Messages (specification/search.md). */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';

let shared: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);
beforeAll(async () => {
  shared = await startConsole({ members: { ada: ['admin'], ben: [] } });
  for (const body of ['> Where is sheet 4?\n\nHere.', 'sheet 5'])
    await shared.team.as('ben').call('push', { body: { to: null, body } });
});
afterAll(() => shared?.stop());

it('says how many results there are for which words, and not the name of the conversation that was open', async () => {
  const { page, context, errors } = await shared.open('ada', { path: '/app/conversations/general' });
  const title = page.getByRole('main').getByRole('heading', { level: 1 });
  await expect.poll(() => title.textContent()).toBe('#general');
  await page.getByText('2 members').waitFor();
  await page.getByLabel('Search messages and objectives').fill('sheet');
  await page
    .getByRole('status')
    .filter({ hasText: '2 results for “sheet” in all conversations and objectives' })
    .waitFor();
  expect(await title.textContent()).toBe('Search results');
  expect(await page.getByText('2 members').count()).toBe(0);
  const current = page.getByRole('main').locator('a[aria-current=page]');
  expect(await current.count()).toBe(0);
  expect(await page.getByText('Search', { exact: true }).count()).toBe(0);
  await page.getByRole('link', { name: /ben in #general .*Where is sheet 4\?/ }).waitFor();
  expect(await page.getByText('> Where').count()).toBe(0);
  await page.getByLabel('Search messages and objectives').fill('');
  await expect.poll(() => title.textContent()).toBe('#general');
  await expect.poll(() => current.count()).toBe(1);
  expect(errors).toEqual([]);
  await context.close();
});

it('says to whom a direct message went', async () => {
  await shared.team.as('ben').call('push', { body: { to: 'ada', body: 'Is the lantern lit?' } });
  await shared.team.as('ada').call('push', { body: { to: 'ben', body: 'The lantern is lit.' } });
  const { page, context, errors } = await shared.open('ada', { path: '/app/conversations/general' });
  await page.getByLabel('Search messages and objectives').fill('lantern');
  await page.getByRole('link', { name: /^ben to you .*Is the lantern lit\?/ }).waitFor();
  await page.getByRole('link', { name: /^ada to ben .*The lantern is lit\./ }).waitFor();
  expect(errors).toEqual([]);
  await context.close();
});
