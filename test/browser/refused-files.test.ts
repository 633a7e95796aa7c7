/** Files that the broker does not take, and folders: one sentence says why, and what was written stays. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';

const maxFileSize = 300_000;
let shared: ConsoleTeam;
let folder: string;
showPagesOfFailures(() => shared?.browser);
beforeAll(async () => {
  folder = join(await mkdtemp(join(tmpdir(), 'muster-refused-')), 'charts');
  await mkdir(folder);
  await writeFile(join(folder, 'reef.txt'), 'A reef');
  shared = await startConsole({
    members: { ada: ['admin'] },
    config: { files: { root: 'files', maxFileSize } },
  });
});
afterAll(async () => {
  await shared?.stop();
  await rm(dirname(folder), { recursive: true, force: true });
});

async function choose(page: Page): Promise<void> {
  const choosing = page.waitForEvent('filechooser');
  await page.getByRole('button', { name: /^(Attach files|Upload)$/ }).click();
  const buffer = Buffer.alloc(maxFileSize + 1);
  await (await choosing).setFiles({ name: 'large.bin', mimeType: 'application/octet-stream', buffer });
}
const give = (event: string) => (page: Page) =>
  page.evaluate(`(() => {
    const data = new DataTransfer();
    data.items.add(new File([new Uint8Array(${maxFileSize + 1})], 'large.bin'));
    const place = document.querySelector('main textarea') ?? document.querySelector('[aria-label="Files"] *');
    place.dispatchEvent(new ${event});
  })()`);
const drop = give(`DragEvent('drop', { dataTransfer: data, bubbles: true, cancelable: true })`);
const paste = give(`ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })`);

const tooLarge = 'The file is larger than the 300 kB that this broker accepts.';
const conversation = '/app/conversations/general';

it.each([
  { name: 'chosen for a message', path: conversation, act: choose },
  { name: 'dropped on a message', path: conversation, act: drop },
  { name: 'pasted into a message', path: conversation, act: paste },
  { name: 'chosen for a folder', path: '/app/files?path=/ada', act: choose },
  { name: 'dropped on a folder', path: '/app/files?path=/ada', act: drop },
])('says that a file is too large: $name', async ({ path, act }) => {
  const { page, context } = await shared.open('ada', { path });
  const isMessage = path === conversation;
  const text = page.getByLabel('Message #general');
  if (isMessage) await text.fill('The chart');
  else await page.getByRole('button', { name: 'Upload' }).waitFor();
  await act(page);
  await page.getByText(tooLarge).waitFor();
  await page.getByRole('button', { name: /^(Remove|Dismiss) large.bin$/ }).click();
  expect(await page.getByText(tooLarge).count()).toBe(0);
  if (isMessage) expect(await text.inputValue()).toBe('The chart');
  await context.close();
});

it.each([conversation, '/app/files?path=/ada'])('says that a folder cannot be read: %s', async (path) => {
  const { page, context, errors } = await shared.open('ada', { path });
  const place =
    path === conversation ? page.getByLabel('Message #general') : page.getByRole('region', { name: 'Files' });
  if (path === conversation) await place.fill('The charts');
  // The content above the list is there then, so that the list stays where it is.
  else await page.getByRole('button', { name: 'Upload' }).waitFor();
  const box = await place.boundingBox();
  if (box === null) throw new Error('the place for files is not shown');
  const control = await context.newCDPSession(page);
  const data = { items: [], files: [folder], dragOperationsMask: 1 };
  const at = { x: box.x + 30, y: box.y + 10, data };
  for (const type of ['dragEnter', 'dragOver', 'dragOver', 'drop'] as const) {
    await control.send('Input.dispatchDragEvent', { type, ...at });
    // The browser drops only what the page has answered that it takes; a hand moves over many frames.
    await page.evaluate(
      'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))',
    );
  }
  await page
    .getByText('It cannot be read: it is a folder, or it was moved or changed after it was chosen.')
    .waitFor();
  await page.getByRole('button', { name: /^(Remove|Dismiss) charts$/ }).click();
  if (path === conversation) expect(await place.inputValue()).toBe('The charts');
  expect(errors).toEqual([]);
  await context.close();
});
