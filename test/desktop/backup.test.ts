/** Backups from the settings of the desktop app (specification/desktop.md#backups). */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { bucketName, startStrictS3 } from '../../broker/storage/blobs/testing/strict-s3.ts';
import { startDesktop } from './testing/desktop-app.ts';
import type { DesktopApp } from './testing/engine.ts';
import { call, logInAs, type PreparedHome, prepareHome } from './testing/prepared-home.ts';
import { until } from './testing/until.ts';

let home: PreparedHome;
let app: DesktopApp;
let page: Page;

beforeAll(async () => {
  home = await prepareHome();
  app = await startDesktop({ home: home.path });
  page = await until(() => app.page(0));
  await page.getByRole('heading', { name: 'Log in to Muster' }).waitFor();
});

afterAll(async () => {
  await app?.close();
  home?.remove();
});

test('says that there is no backup, asks for a folder, backs up now while the broker runs, and once a day from then on', async () => {
  await logInAs(page, 'ada');
  await page.getByRole('link', { name: /Admin$/ }).click();
  await page.getByRole('link', { name: 'Backup and retention' }).click();
  await page.getByText('No folder was chosen yet.').waitFor();
  const none = page.getByRole('listitem').filter({ hasText: 'This app has made no backup yet.' });
  await none.waitFor();
  expect(await page.getByRole('button', { name: 'Back up now' }).isDisabled()).toBe(true);
  const folder = join(home.path, 'backups');
  mkdirSync(folder);
  await app.pickPath(folder);
  await page.getByRole('button', { name: 'Choose a folder…' }).click();
  await page.getByText(folder).waitFor();
  await page.getByRole('button', { name: 'Back up now' }).click();
  await page.getByText('backed up to').waitFor();
  await page.getByText('It makes none by itself.').waitFor();
  expect(await none.count()).toBe(0);
  const [snapshot = ''] = readdirSync(folder).filter((name) => /^\d/.test(name));
  expect(existsSync(join(folder, snapshot, 'manifest.json'))).toBe(true);
  await page.getByRole('checkbox', { name: /once a day/ }).click();
  await page.getByText('Nothing here needs you: all stores are on disk').waitFor();
  const plan = await until(() => {
    const found = readdirSync(home.path, { recursive: true, encoding: 'utf8' }).find((name) =>
      name.endsWith('desktop-backup.json'),
    );
    const read = JSON.parse(readFileSync(join(home.path, found ?? ''), 'utf8'));
    expect(read.isDaily).toBe(true);
    return read;
  });
  expect(plan).toMatchObject({ folder, last: { isDone: true } });
});

test('copies contents from a bucket whose key is in the environment of the app', async () => {
  await app.close();
  const s3 = await startStrictS3();
  onTestFinished(() => s3.stop());
  const other = await prepareHome();
  onTestFinished(() => other.remove());
  const config = JSON.parse(readFileSync(other.configPath, 'utf8'));
  writeFileSync(
    other.configPath,
    JSON.stringify({ ...config, files: { root: `s3://${bucketName}/muster` } }),
  );
  app = await startDesktop({ home: other.path, env: s3.env });
  page = await until(() => app.page(0));
  await page.getByRole('heading', { name: 'Log in to Muster' }).waitFor();
  await logInAs(page, 'ada');
  await call(page, 'POST', '/fs/write?path=/ada/a.txt&mime=text/plain', { some: 'content' });
  const folder = join(other.path, 'of-bucket');
  mkdirSync(folder);
  await app.pickPath(folder);
  await page.evaluate('window.muster.chooseBackupFolder()');
  await page.evaluate('window.muster.backUpNow()');
  const backUp = async () =>
    ((await page.evaluate('window.muster.backupState()')) as { value: object }).value;
  await until(async () => expect(await backUp()).toMatchObject({ folder, isRunning: false }));
  expect(await backUp()).toMatchObject({
    last: { isDone: true, text: expect.stringContaining(folder) },
  });
  const copied = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  expect(copied.filter((name) => /[0-9a-f]{64}$/.test(name))).toHaveLength(1);
});
