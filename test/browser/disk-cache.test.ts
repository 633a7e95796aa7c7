/** The disk of a real Chromium has nothing that members wrote. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { codeAt } from '../../broker/testing/test-authenticator.ts';
import { startTestBroker, type TestBroker } from '../../broker/testing/test-broker.ts';
import { programPath } from '../testing/programs.ts';
import { builtConsole } from './testing/built-console.ts';

let team: TestBroker;
let profile: string;
beforeAll(async () => {
  team = await startTestBroker({
    consoleFolder: await builtConsole(),
    config: { files: { root: 'files' } },
  });
  profile = await mkdtemp(join(tmpdir(), 'muster-profile-'));
});
afterAll(async () => {
  await team?.stop();
  await rm(profile, { recursive: true, maxRetries: 5 });
});

async function filesWith(text: string): Promise<string[]> {
  const entries = await readdir(profile, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
  const found: string[] = [];
  for (const file of files) if ((await readFile(file)).includes(text)) found.push(file);
  return found;
}

it('a conversation and its file are gone from the disk when the browser is closed', async () => {
  const secrets = ['marmalade-of-the-message', 'gooseberry-of-the-file'];
  const [message = '', content = ''] = secrets;
  await team.fetch('ben', '/fs/write?path=/ben/note.txt', {
    method: 'POST',
    headers: { 'content-type': 'text/plain' },
    body: content,
  });
  await team.as('ben').call('push', { body: { to: 'ada', body: message, attachments: ['/ben/note.txt'] } });
  const { totpSecret } = await team.as('ada').call('enrollTotp', { params: { name: 'ada' } });
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: programPath('chromium'),
    args: ['--no-sandbox'],
    locale: 'en-GB',
  });
  const page = await context.newPage();
  await page.goto(`${team.url}/app/conversations/dm%3Aben`);
  await page.getByLabel('Member').fill('ada');
  await page.getByLabel('Code').fill(codeAt(totpSecret, Date.now()));
  await page.getByRole('log', { name: 'Messages' }).getByText(message).waitFor();
  await page.getByRole('log', { name: 'Messages' }).getByRole('link', { name: 'note.txt' }).click();
  await page.getByText(content).waitFor();
  await context.close();
  expect(await filesWith('muster')).not.toEqual([]);
  for (const secret of secrets) expect(await filesWith(secret), secret).toEqual([]);
});
