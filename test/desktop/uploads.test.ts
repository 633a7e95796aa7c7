/** Files from this computer, uploaded in the desktop window part by part. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { maxPartBytes } from '../../electron/bridge.ts';
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
  await logInAs(page, 'ada');

  await call(page, 'POST', '/fs/mkdir', { path: '/ada/uploads', recursive: true });
  await page.evaluate(`location.href = '/app/files?path=/ada/uploads'`);
  await page.locator('input[type=file]').waitFor({ state: 'attached' });
});

afterAll(async () => {
  await app?.close();
  home?.remove();
});

const upload = (name: string, buffer: Buffer) =>
  page.locator('input[type=file]').setInputFiles({ name, mimeType: 'application/octet-stream', buffer });
const names = async (): Promise<string[]> => {
  const { entries } = (await call(page, 'GET', '/fs/ls?path=/ada/uploads')) as {
    entries: { name: string }[];
  };
  return entries.map(({ name }) => name).sort();
};
const bridge = (script: string) => page.evaluate(`(async () => ${script})()`);

test('uploads a file of several parts as it is, and an empty one', async () => {
  const bytes = randomBytes(3 * maxPartBytes + 17);
  await upload('large.bin', bytes);
  await until(async () => expect(await names()).toContain('large.bin'));
  const read = (await bridge(
    `new Uint8Array(await (await fetch('/fs/read/ada/uploads/large.bin')).arrayBuffer()).toBase64()`,
  )) as string;
  expect(Buffer.from(read, 'base64').equals(bytes)).toBe(true);
  await upload('empty.bin', Buffer.alloc(0));
  await until(async () => expect(await names()).toContain('empty.bin'));
});

test('writes nothing of an upload that the person stops', async () => {
  // The second part never comes, so the upload is under way until it is stopped.
  await page.evaluate(`{
    const slice = Blob.prototype.slice;
    Blob.prototype.slice = function (start, end) {
      return start === 0 ? slice.call(this, start, end) : { arrayBuffer: () => new Promise(() => undefined) };
    };
  }`);
  await upload('stopped.bin', randomBytes(2 * maxPartBytes));
  const progress = page.getByRole('progressbar', { name: 'Uploading stopped.bin' });
  await until(async () => expect(await progress.getAttribute('value')).toBe('0.5'));
  await page.getByRole('button', { name: 'Stop stopped.bin' }).click();
  await progress.waitFor({ state: 'detached' });
  await page.reload();
  await page.locator('input[type=file]').waitFor({ state: 'attached' });
  expect(await names()).not.toContain('stopped.bin');
});

test('ends the upload of a page that is gone', async () => {
  const open = `window.muster.openUpload({ upload: 7, url: '/fs/write?path=/ada/uploads/left.bin' })`;
  expect(await bridge(open)).toMatchObject({ ok: true });
  expect(await bridge(`window.muster.sendUpload({ upload: 7, bytes: new Uint8Array(10) })`)).toEqual({
    ok: true,
    value: true,
  });
  await page.reload();
  await page.locator('input[type=file]').waitFor({ state: 'attached' });
  expect(await bridge('window.muster.endUpload(7)')).toMatchObject({ ok: false, code: 'not_found' });
  expect(await names()).not.toContain('left.bin');
});

test('goes on with the upload of a page that the app does not let go to another address', async () => {
  const open = `window.muster.openUpload({ upload: 8, url: '/fs/write?path=/ada/uploads/stays.bin' })`;
  expect(await bridge(open)).toMatchObject({ ok: true });
  await page.evaluate(`location.href = 'https://refused.example/'`).catch(() => undefined);
  await until(async () => expect((await app.said()).join()).toContain('box Open refused.example'));
  expect(await bridge(`window.muster.sendUpload({ upload: 8, bytes: new Uint8Array(10) })`)).toEqual({
    ok: true,
    value: true,
  });
  await bridge('window.muster.stopUpload(8)');
});

test('says why the broker refuses a file, without sending the rest of it', async () => {
  const url = '/fs/write?path=/nobody/large.bin';
  const sent = (await bridge(`{
    await window.muster.openUpload({ upload: 0, url: ${JSON.stringify(url)} });
    let parts = 0;
    while (parts < 64) {
      const { value } = await window.muster.sendUpload({ upload: 0, bytes: new Uint8Array(${maxPartBytes}) });
      if (value === false) break;
      parts += 1;
    }
    return { parts, reply: await window.muster.endUpload(0) };
  }`)) as { parts: number; reply: { value: { status: number; body: string } } };
  expect(sent.parts).toBeLessThan(64);
  expect(sent.reply.value.status).toBe(404);
});

test('refuses parts that are too large, other operations, and too many uploads', async () => {
  const open = (upload: number, url: string) =>
    bridge(`window.muster.openUpload(${JSON.stringify({ upload, url })})`);
  for (const url of ['/members', '/fs/write/../members', 'http://localhost/fs/write', '//host/fs/write'])
    expect(await open(0, url)).toMatchObject({ ok: false, code: 'not_found' });
  expect(await open(0, '/fs/write?path=/ada/uploads/a.bin')).toMatchObject({ ok: true });
  expect(
    await bridge(`window.muster.sendUpload({ upload: 0, bytes: new Uint8Array(${maxPartBytes + 1}) })`),
  ).toMatchObject({ ok: false, code: 'bad_request' });
  for (let more = 1; more < 32; more += 1)
    expect(await open(more, `/fs/write?path=/ada/uploads/${more}.bin`)).toMatchObject({ ok: true });
  expect(await open(32, '/fs/write?path=/ada/uploads/32.bin')).toMatchObject({
    ok: false,
    code: 'rate_limited',
  });
  await page.reload();
  expect(await names()).toEqual(['empty.bin', 'large.bin']);
});

test('an upload that is under way does not keep the app from quitting in order', async () => {
  await bridge(`window.muster.openUpload({ upload: 3, url: '/fs/write?path=/ada/uploads/quit.bin' })`);
  await bridge(`window.muster.sendUpload({ upload: 3, bytes: new Uint8Array(10) })`);
  await app.quit();
  await until(async () => expect((await app.said()).at(-1)).toBe('exit 0'));
  expect(readFileSync(join(app.paths.logsDir, 'desktop.log'), 'utf8')).not.toContain('did not end in order');
});
