/** Binding a platform, which needs a browser session (specification/platform.md). */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Platform, startPlatform } from '../../broker/features/platform-connect/testing/platform.ts';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';
import { watchFor } from './testing/passing-words.ts';

let shared: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);
let platform: Platform;
beforeAll(async () => {
  platform = await startPlatform();
  await platform.addKey('k1', 'ES256');
  shared = await startConsole({ onDisk: true, config: { outbound: { allowHosts: ['127.0.0.1'] } } });
});
afterAll(async () => {
  await shared?.stop();
  await platform?.close();
});

it('lets a manager bind a platform by its pairing code, shows one sentence for a wrong code, and then accepts its tokens', async () => {
  const { page, errors, context } = await shared.open('ada', { path: '/app/admin/network' });
  await page.getByText('No platform is connected').waitFor();
  await page.getByText('A platform is a service outside this broker').waitFor();
  const bind = page.getByRole('button', { name: 'Connect and let it sign in as anyone' });
  expect(await bind.count()).toBe(0);
  const opener = page.getByRole('button', { name: 'Connect a platform…' });
  await opener.click();
  await page.getByText('any member of this team').waitFor();
  const focused = () => page.evaluate('document.activeElement.type');
  expect(await focused()).toBe('url');
  const reason = page.getByText('Fill in both fields first.');
  await reason.waitFor();
  expect(await bind.isDisabled()).toBe(true);
  await page.getByLabel('Platform address').fill(platform.url);
  expect(await bind.isDisabled()).toBe(true);
  await page.getByLabel('Pairing code').fill('a-code-that-nobody-knows');
  await reason.waitFor({ state: 'detached' });
  await bind.click();
  await page.getByRole('alert').filter({ hasText: 'code' }).waitFor();
  expect(await page.getByText('No platform is connected').isVisible()).toBe(true);

  platform.codes.add('pairing-code-of-128-bits');
  await page.getByLabel('Pairing code').fill('pairing-code-of-128-bits');
  const said = await watchFor(page, 'The platform is connected');
  await bind.click();
  await page.getByText(platform.audience, { exact: true }).waitFor();
  await said();
  expect(await page.locator(':focus').textContent()).toBe('Connect another platform instead…');
  const reply = await fetch(`${shared.team.url}/briefing`, {
    headers: { authorization: `Bearer ${await platform.sign('k1')}` },
  });
  expect(await reply.json()).toMatchObject({ name: 'ben' });
  // The browser itself logs the failed request for the refused code.
  expect(errors.filter((one) => !one.includes('/platform-connect/bind'))).toEqual([]);
  await context.close();
});
