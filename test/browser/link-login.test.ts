/** One-time links into the console. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';

let shared: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);
beforeAll(async () => {
  shared = await startConsole({ members: { ada: ['admin'], ben: ['operator'] } });
});
afterAll(() => shared?.stop());

const linkOf = async (name: string): Promise<string> =>
  `/app#login=${(await shared.team.as(name).call('createConsoleLink', {})).code}`;

it('logs in, leaves nothing in the address, and works once', async () => {
  const context = await shared.browser.newContext({ baseURL: shared.team.url });
  const page = await context.newPage();
  const link = await linkOf('ada');
  await page.goto(link);
  await page.getByRole('link', { name: 'ada Me', exact: true }).waitFor();
  expect(page.url()).not.toContain('login=');
  await page.reload();
  await page.getByRole('link', { name: 'ada Me', exact: true }).waitFor();

  const other = await shared.browser.newContext({ baseURL: shared.team.url });
  const late = await other.newPage();
  await late.goto(link);
  await late.getByText('The login link was used before').waitFor();
  expect(late.url()).not.toContain('login=');
});

it('asks before it ends the session of another member', async () => {
  const context = await shared.browser.newContext({ baseURL: shared.team.url });
  const page = await context.newPage();
  await page.goto(await linkOf('ada'));
  await page.getByRole('link', { name: 'ada Me', exact: true }).waitFor();
  const asked: string[] = [];
  let agrees = false;
  page.on('dialog', (dialog) => {
    asked.push(dialog.message());
    return agrees ? dialog.accept() : dialog.dismiss();
  });
  const link = await linkOf('ben');
  // A new document, as an address in a message opens one.
  await page.goto('about:blank');
  await page.goto(shared.team.url + link);
  await page.getByRole('link', { name: 'ada Me', exact: true }).waitFor();
  agrees = true;
  await page.goto('about:blank');
  await page.goto(shared.team.url + link);
  await page.getByRole('link', { name: 'ben Me', exact: true }).waitFor();
  expect(asked).toEqual(Array(2).fill('You are logged in as ada. Log in by this link instead?'));
});
