/** The checklist of a new team. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';

let shared: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);
beforeAll(async () => {
  shared = await startConsole({ members: { ada: ['admin'] } });
});
afterAll(() => shared?.stop());

it('ticks itself, stays until it is closed, and does not come back', async () => {
  const { page, errors } = await shared.open('ada');
  const step = (text: string) => page.getByRole('listitem').filter({ hasText: text });
  const heading = page.getByRole('heading', { name: 'First steps' });
  await heading.waitFor();
  await step('Enroll an authenticator').getByLabel('Done').waitFor();
  await step('Open the broker to your network').getByText('muster setup --https').waitFor();
  await step('Add a member').getByLabel('To do').waitFor();

  const ada = shared.team.as('ada');
  await ada.call('createMember', { body: { name: 'ben', role: { title: 'Engineer' }, permissions: [] } });
  await step('Add a member').getByLabel('Done').waitFor();
  await ada.call('createObjective', { body: { title: 'Ship it', outcome: 'It is out', assignee: 'ben' } });
  await step('Create an objective').getByLabel('Done').waitFor();
  await page.reload();
  await step('Create an objective').getByLabel('Done').waitFor();

  await page.getByRole('button', { name: 'Close the first steps' }).click();
  await heading.waitFor({ state: 'detached' });
  await page.reload();
  await page.getByRole('heading', { name: 'Needs you', exact: true }).waitFor();
  expect(await heading.count()).toBe(0);
  expect(errors).toEqual([]);
});
