/** A member's authenticator is replaced only when a code of the new one is confirmed. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { bindAuthenticator, codeAt, logInWith, wrongCode } from '../../broker/testing/test-authenticator.ts';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';

let shared: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);
beforeAll(async () => {
  shared = await startConsole({ members: { ada: ['admin'], ben: [] } });
});
afterAll(() => shared?.stop());

it('says nothing of a previous one before the first one', async () => {
  const { page, context } = await shared.open('ada', { path: '/app/admin/people?member=ben' });
  await page.getByRole('button', { name: 'Enroll an authenticator' }).click();
  const dialog = page.getByRole('dialog', { name: 'Authenticator of ben' });
  await dialog.getByRole('button', { name: 'Create a new secret' }).waitFor();
  expect(await dialog.getByText('previous authenticator').count()).toBe(0);
  await context.close();
});

it('keeps the former authenticator until then, and when the dialog is closed', async () => {
  const logIn = async (secret: string) =>
    (await logInWith(shared.team, codeAt(secret, Date.now()), 'ben')).status;
  const former = await bindAuthenticator(shared.team, 'ben');
  const { page, context } = await shared.open('ada', { path: '/app/admin/people?member=ben' });
  const dialog = page.getByRole('dialog', { name: 'Authenticator of ben' });
  const secretOf = async () => {
    await page.getByRole('button', { name: 'Replace the authenticator' }).click();
    await dialog.getByText('The previous authenticator works until').waitFor();
    await dialog.getByRole('button', { name: 'Create a new secret' }).click();
    return dialog.getByLabel('Secret').inputValue();
  };
  await secretOf();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await dialog.waitFor({ state: 'detached' });
  expect(await logIn(former)).toBe(200);

  await secretOf();
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await dialog.waitFor({ state: 'detached' });

  const secret = await secretOf();
  await dialog.getByText(/^The authenticator of .* shows it\.$/).waitFor();
  // Six digits confirm by themselves.
  const confirm = (code: string) => dialog.getByLabel('Current code').fill(code);
  await confirm(wrongCode([secret], Date.now()));
  await dialog.getByText('nothing was changed').waitFor();
  await confirm(codeAt(secret, Date.now()));
  await dialog.waitFor({ state: 'detached' });
  expect(await logIn(former)).toBe(401);
  await context.close();
});

it('asks its owner for a code of the present one', async () => {
  const logIn = async (secret: string, at: number) =>
    (await logInWith(shared.team, codeAt(secret, at), 'ben')).status;
  const former = await bindAuthenticator(shared.team, 'ben', 'ada');
  const { code } = await shared.team.as('ben').call('createConsoleLink', {});
  const context = await shared.browser.newContext({ baseURL: shared.team.url });
  const page = await context.newPage();
  await page.goto(`/app/admin/people?member=ben#login=${code}`);
  const dialog = page.getByRole('dialog', { name: 'Authenticator of ben' });
  await page.getByRole('button', { name: /Replace the|Enroll an/ }).click();
  await dialog.getByRole('button', { name: 'Create a new secret' }).click();
  const secret = await dialog.getByLabel('Secret').inputValue();
  const confirm = async () => {
    await dialog.getByLabel('Current code', { exact: true }).fill(codeAt(secret, Date.now()));
    await dialog.getByRole('button', { name: 'Confirm' }).click();
  };
  await confirm();
  await dialog.getByText('needs a code of the present one').waitFor();
  await dialog.getByLabel('Current code of your present').fill(codeAt(former, Date.now() + 30_000));
  await confirm();
  await dialog.waitFor({ state: 'detached' });
  expect(await logIn(secret, Date.now() + 30_000)).toBe(200);
  await context.close();
});
