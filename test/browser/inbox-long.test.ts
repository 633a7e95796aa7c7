/** An inbox with more items than are drawn at once. */
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { startConsole } from './testing/console-team.ts';

const list = (page: Page) => page.getByRole('region', { name: 'What needs you' });

it('draws a long list in pieces, through which the keyboard moves', async () => {
  const crew = await startConsole({ members: { ada: ['admin'], ben: [] } });
  for (let at = 0; at < 230; at += 23)
    await Promise.all(
      Array.from({ length: 23 }, async (_, place) => {
        const body = { title: `Sound bay ${at + place}`, outcome: 'It is known', assignee: 'ben', body: '' };
        const { id } = await crew.team.as('ada').call('createObjective', { body });
        await crew.team.as('ben').call('completeObjective', { params: { id }, body: { result: 'Known' } });
      }),
    );
  const { page, context, errors } = await crew.open('ada');
  const rows = list(page).locator('[data-row]');
  await list(page).getByText('The first 100 of 230 items are shown.').waitFor();
  expect(await rows.count()).toBe(100);
  expect(await page.title()).toBe('(230) Inbox · Muster');
  await rows.last().focus();
  await page.keyboard.press('j');
  await expect.poll(() => rows.count()).toBe(200);
  const place = () =>
    rows.evaluateAll((all) => all.indexOf(all[0]!.ownerDocument.activeElement as (typeof all)[number]));
  expect(await place()).toBe(100);
  await page.keyboard.press('e');
  await expect.poll(() => page.title()).toBe('(229) Inbox · Muster');
  expect(await rows.count()).toBe(200);
  expect(await place()).toBe(100);
  await list(page).getByRole('button', { name: 'Load more' }).press('Enter');
  await expect.poll(() => rows.count()).toBe(229);
  expect(await place()).toBe(200);
  expect(errors).toEqual([]);
  await context.close();
  await crew.stop();
});
