/**
 * LAN access from the switch in Admin to a teammate's machine and back
 * (specification/desktop.md#lan-access).
 */
import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createHome, type Home } from '../../bin/testing/command.ts';
import { startDesktop } from './testing/desktop-app.ts';
import type { DesktopApp } from './testing/engine.ts';
import { call, logInAs, type PreparedHome, prepareHome } from './testing/prepared-home.ts';
import { until } from './testing/until.ts';

let home: PreparedHome;
let app: DesktopApp;
let page: Page;
let laptop: Home;
let join = '';

beforeAll(async () => {
  home = await prepareHome();
  laptop = await createHome();
  app = await startDesktop({ home: home.path });
  page = await until(() => app.page(0));
  await page.getByRole('heading', { name: 'Log in to Muster' }).waitFor();
});

afterAll(async () => {
  await app?.close();
  await laptop?.remove();
  home?.remove();
});

const configured = (): Record<string, unknown> => JSON.parse(readFileSync(home.configPath, 'utf8'));
const lanItem = async () => (await app.tray()).find(({ label }) => label === 'LAN access');

test('lets nobody without members.manage turn it on, whatever a page says', async () => {
  const words = ['lanState', 'turnLanOn', 'turnLanOff', 'keyState', 'exportKey', 'standbyState'];
  for (const word of words)
    expect(await page.evaluate(`window.muster.${word}()`)).toMatchObject({
      ok: false,
      code: 'unauthenticated',
    });
  await logInAs(page, 'ben');
  for (const word of words)
    expect(await page.evaluate(`window.muster.${word}()`)).toMatchObject({ ok: false, code: 'forbidden' });
  expect(configured()).not.toHaveProperty('https');
});

test('lists it in the tray without a mark, and opens the page with the switch', async () => {
  await call(page, 'POST', '/session/logout');
  await logInAs(page, 'ada');
  expect(await lanItem()).toMatchObject({ isChecked: false });
  await app.choose('LAN access');
  await page.getByText('only this machine can reach the broker').waitFor();
  expect(await lanItem()).toMatchObject({ isChecked: false });
});

test('listens at once when it is turned on, and shows the address, fingerprint, and join command, also as a QR code', async () => {
  await page.getByRole('button', { name: 'Turn LAN access on' }).click();
  await page.getByText('On: other machines on the network can reach the broker at').waitFor();
  join = await page.getByLabel('Join command', { exact: true }).inputValue();
  expect(join).toMatch(
    new RegExp(
      `^muster connect --url https://127\\.0\\.0\\.1:${home.httpsPort} --fingerprint sha256:[0-9a-f]{64}$`,
    ),
  );
  await page.getByRole('img', { name: 'QR code of the join command' }).waitFor();
  await until(async () => expect(await lanItem()).toMatchObject({ isChecked: true }));
  await app.choose('Copy join command');
  expect(await app.said()).toContain(`clipboard ${join}`);
  expect(configured()).toMatchObject({ https: { port: home.httpsPort, cert: 'tls/server.crt' } });
});

test('names what to compare on the page that explains how to trust the authority', async () => {
  const view = (await page.evaluate('window.muster.lanState()')) as {
    value: { authorityFingerprint: string };
  };
  await page.getByText(view.value.authorityFingerprint).waitFor();
  await page.getByRole('link', { name: 'trusts this broker’s authority' }).click();
  await page.getByRole('heading', { name: 'Trust this broker’s certificate' }).waitFor();
});

test('lets another machine join with that command after the approval, which keeps its key and reconnects after off and on', async () => {
  const device = laptop.start([...join.split(' ').slice(1), '--label', 'laptop']);
  await device.shows('enroll approve');
  const userCode = /Code: (\S+)/.exec(device.stdout())?.[1];
  await call(page, 'POST', '/enroll/approve', { mode: 'bind', userCode, memberName: 'ben' });
  expect(await device.ended).toMatchObject({ code: 0 });
  expect((await laptop.run(['roster'])).stdout).toContain('ada');

  await app.choose('LAN access');
  await page.getByRole('button', { name: 'Turn LAN access off' }).click();
  await page.getByRole('button', { name: 'Turn off' }).click();
  await page.getByText('only this machine can reach the broker').waitFor();
  expect(await lanItem()).toMatchObject({ isChecked: false });
  expect(configured()).not.toHaveProperty('https');
  expect(await laptop.run(['roster'])).toMatchObject({ code: 1 });

  await page.getByRole('button', { name: 'Turn LAN access on' }).click();
  await page.getByText('On: other machines on the network can reach the broker at').waitFor();
  expect(await page.getByLabel('Join command', { exact: true }).inputValue()).toBe(join);
  expect(await laptop.run(['roster'])).toMatchObject({ code: 0 });
});
