/** The keyboard is enough for the work of an operator, and needs few keys. */
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { codeAt } from '../../broker/testing/test-authenticator.ts';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';

let shared: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);
beforeAll(async () => {
  shared = await startConsole({ members: { ada: ['admin'], ben: [] } });
});
afterAll(() => shared?.stop());

/** Presses keys, and counts them. */
function keysOf(page: Page) {
  const keys = {
    count: 0,
    async press(...names: string[]) {
      for (const name of names) {
        await page.keyboard.press(name);
        keys.count += 1;
      }
    },
    type: (text: string) => keys.press(...text),
  };
  return keys;
}

/** A key that is pressed before is lost. */
const hasFocus = (field: Locator) =>
  expect.poll(() => field.evaluate((one) => one.matches(':focus'))).toBe(true);

it('goes from the login to an approved device and a completed objective in at most 36 keys', async () => {
  const { totpSecret } = await shared.team.as('ada').call('enrollTotp', { params: { name: 'ada' } });
  await shared.team.fetch(null, '/enroll', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ labelHint: 'a red laptop' }),
  });
  const objective = await shared.team.as('ada').call('createObjective', {
    body: { title: 'Draw the reef', outcome: 'It is on the map', assignee: 'ada', body: '' },
  });
  const context = await shared.browser.newContext({ baseURL: shared.team.url, reducedMotion: 'reduce' });
  const page = await context.newPage();
  await page.goto('/app');
  await page.getByRole('heading', { name: 'Log in to Muster' }).waitFor();
  const keys = keysOf(page);
  const palette = page.getByRole('combobox', { name: /^Search screens/ });
  const first = (name: RegExp) => page.getByRole('option', { name, selected: true });

  await hasFocus(page.getByLabel('Member'));
  await keys.type('ada');
  await keys.press('Tab');
  await keys.type(codeAt(totpSecret, Date.now()));
  await page.getByRole('heading', { name: 'Inbox', level: 1 }).waitFor();

  await keys.press('Control+k');
  await hasFocus(palette);
  // The palette keeps its highlight, so what comes later is not the first one.
  await page.getByRole('option', { name: /^Approve [-A-Z]+: a red laptop/ }).waitFor();
  await keys.type('appr');
  await first(/^Approve [-A-Z]+: a red laptop/).waitFor();
  await keys.press('Enter');
  const approval = page.getByRole('dialog', { name: /^Approve / });
  await hasFocus(approval.getByRole('combobox', { name: 'Member' }));
  // Its options are loaded; hidden, they take part when a person types.
  await page.getByRole('option', { name: 'ben', includeHidden: true }).waitFor({ state: 'attached' });
  await keys.type('b');
  await keys.press('Tab');
  await approval.getByRole('button', { name: 'Approve device', disabled: false }).waitFor();
  await keys.press('Enter');
  await approval.waitFor({ state: 'detached' });

  await keys.press('Control+k');
  await hasFocus(palette);
  await keys.type('dra');
  await first(/^Draw the reef/).waitFor();
  await keys.press('Enter');
  await page.getByRole('heading', { name: 'Draw the reef', level: 1 }).waitFor();
  await page.getByRole('button', { name: 'Complete' }).waitFor();
  await palette.waitFor({ state: 'detached' });
  await keys.press('f');
  const completion = page.getByRole('dialog', { name: 'Complete objective' });
  const result = completion.getByLabel('Result');
  await hasFocus(result);
  await keys.type('ok');
  await expect.poll(() => result.inputValue()).toBe('ok');
  await keys.press('Control+Enter');
  await completion.waitFor({ state: 'detached' });

  const { objective: found } = await shared.team
    .as('ada')
    .call('objective', { params: { id: objective.id } });
  expect(found).toMatchObject({ status: 'done', result: 'ok' });
  const { enrollments } = await shared.team.as('ada').call('pendingEnrollments', {});
  expect(enrollments).toEqual([]);
  expect(keys.count).toBeLessThanOrEqual(36);
  await context.close();
});
