/** The audit log in the console: what it shows, its filters, and its export. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { choose } from './testing/choose.ts';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';

let shared: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);
beforeAll(async () => {
  shared = await startConsole({ members: { ada: ['admin'], ben: [], cy: [] } });
  const ada = shared.team.as('ada');
  await ada.call('updateMember', { params: { name: 'ben' }, body: { permissions: ['operator'] } });
  await ada.call('updateTeam', { body: { directive: '<b>Ship</b> \u202eit' } });
});
afterAll(() => shared?.stop());

it('shows who changed what, filters, opens a record, and exports', async () => {
  const { page, context, errors } = await shared.open('ada', { path: '/app/admin/audit' });
  const records = page.getByRole('listitem');
  await page.getByRole('button', { name: /^ada changed the directive of the team/ }).waitFor();
  await page.getByRole('button', { name: /^ada changed the permissions of ben/ }).click();
  await page.getByText(/\d{1,2} \w{3,4} \d{4}, \d{2}:\d{2}:\d{2}, .*record \d+, SHA-256/).waitFor();
  await page.getByText('objectives.create').waitFor();
  await choose(page, 'Kind', 'team changed');
  await page.getByRole('button', { name: /^ada changed the permissions/ }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: /^ada changed the directive of the team/ }).click();
  expect(await records.count()).toBe(1);
  await page.getByText('<b>Ship</b>').waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('audit.jsonl');
  const lines = (await readFile(await download.path(), 'utf8')).trim().split('\n');
  expect(lines.map((line) => JSON.parse(line).kind)).toEqual(['team_changed']);
  expect(errors).toEqual([]);
  await context.close();
});

it('is not offered to other members', async () => {
  const { page, context } = await shared.open('ben', { path: '/app/admin/audit' });
  await page.getByRole('heading', { name: 'People', level: 1 }).waitFor();
  const menu = page.getByRole('navigation', { name: 'Admin' }).getByRole('link');
  expect(await menu.allTextContents()).toEqual(['People', 'Machines', 'Team']);
  await context.close();
});
