/** Short notices are in the way of nothing. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';

let shared: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);
beforeAll(async () => {
  shared = await startConsole({ members: { ada: ['admin'], ben: [] } });
  for (const body of ['Look at the chart', 'And at the tide'])
    await shared.team.as('ben').call('push', { body: { to: null, body } });
});
afterAll(() => shared?.stop());

const notice = (page: Page) => page.locator('[data-notice]').filter({ hasText: 'Marked as unread' });
async function notify(page: Page): Promise<void> {
  await page.locator('[data-message]').last().focus();
  await page.keyboard.press('u');
  await notice(page).waitFor();
}

describe('while a notice is shown', () => {
  it('single keys work', async () => {
    const { page, context, errors } = await shared.open('ada', { path: '/app/conversations/general' });
    await notify(page);
    await page.keyboard.press('g');
    await page.keyboard.press('m');
    await page.getByRole('heading', { name: 'People', level: 1 }).waitFor();
    expect(await notice(page).count()).toBe(1);
    expect(errors).toEqual([]);
    await context.close();
  });

  it.each([
    { width: 1280, height: 860 },
    { width: 390, height: 844 },
  ])('it covers neither Send nor the text field at $width pixels', async (size) => {
    const { page, context, errors } = await shared.open('ada', {
      path: '/app/conversations/general',
      ...size,
    });
    await notify(page);
    const box = await notice(page).boundingBox();
    const form = await page.getByRole('form', { name: 'Write a message' }).boundingBox();
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(form?.y ?? 0);
    await page.getByLabel(/^Message #?general/).fill(`Seen at ${size.width}`);
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('log').getByText(`Seen at ${size.width}`).waitFor();
    expect(await notice(page).count()).toBe(1);
    expect(errors).toEqual([]);
    await context.close();
  });
});
