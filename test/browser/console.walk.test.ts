/** A short walk through the console in a real Chromium; the other files of this folder are the long ones. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { codeAt } from '../../broker/testing/test-authenticator.ts';
import { choose } from './testing/choose.ts';
import { complaintsOf } from './testing/chromium.ts';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';

let shared: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);
beforeAll(async () => {
  shared = await startConsole();
});
afterAll(() => shared?.stop());

it('a member logs in by code, reads and writes live, and creates an objective, and the page complains about nothing', async () => {
  const { team, browser } = shared;
  const context = await browser.newContext({ baseURL: team.url, reducedMotion: 'reduce', locale: 'en-GB' });
  const page = await context.newPage();
  const { totpSecret } = await team.as('ada').call('enrollTotp', { params: { name: 'ada' } });
  await page.goto('/app/conversations/general');
  await page.getByLabel('Member').fill('ada');
  await page.getByLabel('Code').fill(codeAt(totpSecret, Date.now()));
  const text = page.getByLabel(/^Message #?general/);
  await text.waitFor();
  // Before the login, the browser itself reports the session that is missing.
  const errors = complaintsOf(page, team.url);

  await team.as('ben').call('push', { body: { body: 'Good morning' } });
  const log = page.getByRole('log', { name: 'Messages' });
  await log.getByText('Good morning').waitFor();
  await text.fill('Welcome **aboard**');
  await page.keyboard.press('Enter');
  await log.getByText('Welcome aboard').waitFor();
  const { messages } = await team.as('ben').call('history', { query: {} });
  expect(messages.map(({ from, body }) => `${from}: ${body}`)).toEqual([
    'ada: Welcome **aboard**',
    'ben: Good morning',
  ]);

  await page
    .getByRole('link', { name: /^Objectives/ })
    .first()
    .click();
  await page.getByRole('button', { name: 'New objective' }).click();
  const form = page.getByRole('dialog', { name: 'New objective' });
  await form.getByLabel('Title').fill('Draw the coast');
  await form.getByLabel('Outcome').fill('A map that ships');
  await choose(form, 'Assignee', 'ben');
  await form.getByRole('button', { name: 'Create objective' }).click();
  await page.getByRole('heading', { name: 'Draw the coast', level: 1 }).waitFor();
  const { objectives } = await team.as('ben').call('objectives', { query: {} });
  expect(objectives).toMatchObject([{ title: 'Draw the coast', originator: 'ada', assignee: 'ben' }]);
  expect(errors).toEqual([]);
  await context.close();
});
