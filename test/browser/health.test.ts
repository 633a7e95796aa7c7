/** Admin, Health: what an operator should act on, with what mends it (specification/console.md#health). */
import { copyFile, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterEach, expect, it } from 'vitest';
import { overwrite } from '../../broker/testing/damage-store.ts';
import { type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';

let shared: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);
afterEach(() => shared?.stop());

const attention = (page: Page) => page.getByRole('region', { name: 'Needs attention' });
const health = { path: '/app/admin/health' };

/** Takes the main store back to a copy, as somebody who cuts the audit log would. */
async function cutAuditLog(): Promise<void> {
  const main = join(shared.team.folder, 'main.db');
  await shared.team.restart(() => copyFile(main, `${main}.before`));
  await shared.team.as('ada').call('updateTeam', { body: { brief: 'cut' } });
  await shared.team.restart(async () => {
    for (const rest of ['-wal', '-shm']) await rm(main + rest, { force: true });
    await copyFile(`${main}.before`, main);
  });
}

it('says in Health and in Backup that nothing needs attention, and saves diagnostics that contain no credential', async () => {
  shared = await startConsole({ onDisk: true });
  const { page, context, errors } = await shared.open('ada', health);
  await attention(page).getByText('Nothing needs attention.').waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download diagnostics' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe('muster-diagnostics.json');
  const text = await readFile(await download.path(), 'utf8');
  expect(JSON.parse(text)).toMatchObject({
    needsAttention: [],
    diagnostics: { stores: [{ name: 'main' }, { name: 'activity' }] },
  });
  await page.getByRole('link', { name: 'Backup and retention' }).click();
  await page
    .getByText('All stores are on disk, and the broker reports nothing that needs you here.')
    .waitFor();
  for (const secret of [shared.team.token('ada'), (await context.cookies())[0]?.value ?? 'none'])
    expect(text).not.toContain(secret);
  expect(errors).toEqual([]);
  await context.close();
});

it('says that the audit log was cut until an operator acknowledges it, and keeps the focus in the list', async () => {
  shared = await startConsole({ onDisk: true });
  await cutAuditLog();
  const { page, context, errors } = await shared.open('ada', health);
  const item = attention(page).getByRole('listitem');
  await item.getByText(/The audit log was cut: when the broker started, record \d+ was missing/).waitFor();
  await item.getByRole('button', { name: 'Acknowledge…' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Cancel' }).click();
  await item.getByRole('button', { name: 'Acknowledge…' }).click();
  await page.getByRole('button', { name: 'Acknowledge the cut' }).click();
  await attention(page).getByText('Nothing needs attention.').waitFor();
  await page.waitForFunction(
    `document.activeElement.closest('section[aria-label="Needs attention"]') !== null`,
  );
  await page.reload();
  await attention(page).getByText('Nothing needs attention.').waitFor();
  expect(errors).toEqual([]);
  await context.close();
});

it('says that a store is damaged, and what repairs it', async () => {
  shared = await startConsole({ onDisk: true });
  await shared.team.restart(() => overwrite(join(shared.team.folder, 'activity.db'), 0, 100));
  const { page, context } = await shared.open('ada', health);
  const item = attention(page).getByRole('listitem').filter({ hasText: 'The activity store is damaged' });
  expect(await item.getByLabel('Command for the broker’s machine').inputValue()).toBe('muster repair');
  await context.close();
});

it('names a store in memory, a folder for files that cannot be used, and failed logins with the way to them', async () => {
  shared = await startConsole({ config: { files: { root: 'svc.json' } } });
  const { page, context, errors } = await shared.open('ada', health);
  const items = attention(page).getByRole('listitem');
  await items.filter({ hasText: 'The main and activity stores are in memory' }).waitFor();
  await items.filter({ hasText: 'Files are off' }).waitFor();
  for (let n = 0; n < 5; n++)
    await fetch(`${shared.team.url}/session/totp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code: '000000', member: 'ben' }),
    });
  await page.reload();
  await items.filter({ hasText: '5 failed logins' }).getByRole('link', { name: 'Failed logins' }).click();
  await page.getByRole('heading', { name: 'Audit', level: 1 }).waitFor();
  expect(new URL(page.url()).search).toBe('?kind=login_failed');
  expect(errors).toEqual([]);
  await context.close();
});
