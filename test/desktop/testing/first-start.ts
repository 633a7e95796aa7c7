/** The first setup, as a person does it with an authenticator. */
import type { Page } from 'playwright-core';
import { codeAt } from '../../../broker/testing/test-authenticator.ts';

/**
 * From the first page of the setup wizard to the console's first page. The member is `ada`, and the team is
 * Harbour.
 */
export async function setUpByHand(page: Page): Promise<void> {
  await page.getByRole('heading', { name: 'Set up Muster' }).waitFor();
  await page.getByLabel('Team name').fill('Harbour');
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByLabel('Your name').fill('ada');
  await page.getByRole('button', { name: 'Set up' }).click();
  const secret = await page.getByLabel('Secret', { exact: true }).inputValue();
  await page.getByLabel('Current code').fill(codeAt(secret, Date.now()));
  await page.getByRole('button', { name: 'Confirm' }).click();
  await page.getByText('Harbour is set up').waitFor();
  const body = JSON.stringify({ code: codeAt(secret, Date.now()), member: 'ada' });
  const request = {
    method: 'POST',
    url: '/session/totp',
    headers: { 'content-type': 'application/json' },
    body,
  };
  const reply = await page.evaluate(`window.muster.request(${JSON.stringify(request)})`);
  if ((reply as { value?: { status: number } }).value?.status !== 200)
    throw new Error(`the log-in was refused: ${JSON.stringify(reply)}`);
  await page.getByRole('link', { name: 'Log in' }).click();
  await page.getByRole('navigation').first().waitFor();
}
