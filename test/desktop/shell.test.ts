/** The parts of the app that the system shows besides its windows: notifications and menus. */
import { readdirSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { standin } from '../standin/standin.ts';
import { labelsOf, startDesktop } from './testing/desktop-app.ts';
import type { DesktopApp } from './testing/engine.ts';
import { setUpByHand } from './testing/first-start.ts';
import { canLackKeychain } from './testing/keychain.ts';
import { until } from './testing/until.ts';

let app: DesktopApp;

beforeAll(async () => {
  app = await startDesktop();
  await until(async () => expect(await app.windows()).toMatchObject([{ isShown: true }]));
  await setUpByHand(await app.page(0));
});

afterAll(() => app.close());

async function ask(method: string, url: string, body: object): Promise<{ value: { body: string } }> {
  const request = JSON.stringify({
    method,
    url,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (await (await app.page(0)).evaluate(`window.muster.request(${request})`)) as {
    value: { body: string };
  };
}

test.runIf(canLackKeychain)(
  'keeps the login in memory without a keychain, and says so in Admin',
  async () => {
    const page = await app.page(0);
    await page.getByRole('link', { name: /Admin$/ }).click();
    await page.getByRole('link', { name: 'Backup and retention' }).click();
    await page.getByText('the login of this app is kept only in memory').waitFor();
    expect(readdirSync(app.paths.configDir).filter((name) => name.includes('session'))).toEqual([]);
  },
);

test('shows its picture in the tray', () => {
  if (!app.isReal) expect(standin.trays[0]?.hasImage).toBe(true);
});

test('has the console’s commands in the menu, and runs a chosen one in the window', async () => {
  const menu = async (name: string) => (await app.appMenu()).find(({ label }) => label === name)?.items ?? [];
  await until(async () => expect((await menu('Go')).map(({ label }) => label)).toContain('Objectives'));
  expect((await menu('View')).find(({ label }) => label === 'Command palette')).toMatchObject({
    accelerator: 'CommandOrControl+K',
  });
  await app.chooseInAppMenu('Go', 'Objectives');
  await (await app.page(0)).getByRole('heading', { name: 'Objectives', exact: true }).waitFor();
});

test('shows a notification for a direct message while nobody looks at the console, and opens the conversation on click', async () => {
  await app.closeWindow(0);
  const made = await ask('POST', '/members', { name: 'ben', role: { title: 'Engineer' }, permissions: [] });
  const { token } = JSON.parse(made.value.body) as { token: string };
  const address = await (await app.page(0)).evaluate('window.muster.address');
  const push = (body: object) =>
    fetch(`${address}/push`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    });
  await push({ body: 'to everybody' });
  // Linux would make a link of it.
  const body = 'the build\n<a href="https://evil.example">is red</a> &amp; late';
  await push({ to: 'ada', body });
  await until(async () => expect(await app.said()).toContain(`notification ben: ${body.replace('\n', ' ')}`));
  expect((await app.said()).filter((one) => one.startsWith('notification'))).toHaveLength(1);
  await app.clickNotification('ben');
  expect((await app.windows())[0]).toMatchObject({ isShown: true });
  const page = await app.page(0);
  await page.getByText('the build').waitFor();
  expect(page.url()).toContain('/app/conversations/dm%3Aben');
});

test('shows a notification for a device, too; if the system refuses it, the window and the tray tell', async () => {
  if (!app.isReal) standin.refusesNotifications = true;
  const address = await (await app.page(0)).evaluate('window.muster.address');
  const reply = await fetch(`${address}/enroll`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ labelHint: 'laptop' }),
  });
  const { userCode } = (await reply.json()) as { userCode: string };
  await until(async () =>
    expect(await app.said()).toContain(`notification A device asks to join: ${userCode} laptop`),
  );
  await until(async () => expect((await app.windows())[1]).toMatchObject({ isShown: true }));
  expect(await labelsOf(app)).toContain('1 device is waiting');
  expect((await labelsOf(app)).filter((label) => /approve|reject|accept/i.test(label))).toEqual([]);
  if (!app.isReal) expect(standin.focused).not.toBe(standin.windows[1]);
  await app.choose(userCode);
  await until(async () => expect((await app.windows())[1]).toMatchObject({ isShown: true }));
  // A person chose the code, so the window takes the focus and comes to the display with the pointer.
  if (!app.isReal) expect(standin.focused).toBe(standin.windows[1]);
  if (!app.isReal) expect(standin.windows[1]?.position[0]).toBeGreaterThan(1920);
});
