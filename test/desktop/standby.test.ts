/** The desktop app as one of several machines (specification/standby.md), with a real PostgreSQL and another machine. */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createHome, type Home } from '../../bin/testing/command.ts';
import { mintKeyText } from '../../broker/config/kek-text.ts';
import { freePort } from '../../broker/testing/free-port.ts';
import { postgresForTests } from '../standby/postgres.ts';
import { labelsOf, startDesktop } from './testing/desktop-app.ts';
import type { DesktopApp } from './testing/engine.ts';
import { call, logInAs, type PreparedHome, prepareHome } from './testing/prepared-home.ts';
import { until } from './testing/until.ts';

const postgres = postgresForTests();
let team: PreparedHome;
let machine: Home;
let database: string;
let env: Record<string, string>;
let other: Awaited<ReturnType<Home['serve']>>;
let app: DesktopApp;
let page: Page;

const serveOther = () => ({
  words: [
    '--config-path',
    team.configPath,
    '--db',
    machine.path('main.db'),
    '--activity-db',
    machine.path('activity.db'),
  ],
  env: { ...env, SVC_BROKER_NAME: 'other' },
});

beforeAll(async () => {
  database = await postgres.createDatabase();
  team = await prepareHome();
  machine = await createHome();
  env = { SVC_STANDBY_URL: database, SVC_KEK: mintKeyText() };
  const { words, env: own } = serveOther();
  other = await machine.serve(words, own);
});

afterAll(async () => {
  await app?.close();
  await machine?.remove();
  team?.remove();
});

const open = async (port: number, url = database): Promise<void> => {
  app = await startDesktop({
    env: { ...env, SVC_STANDBY_URL: url, SVC_BROKER_NAME: 'desktop', SVC_PORT: String(port) },
  });
  page = await until(() => app.page(0));
};
const bodies = async (): Promise<string[]> => {
  const { messages } = (await call(page, 'GET', '/history?limit=10')) as { messages: { body: string }[] };
  return messages.map(({ body }) => body);
};

let port: number;

test('stands by with an empty home: the tray says so, and the console shows what the active machine answers', async () => {
  port = await freePort();
  await open(port);
  await until(async () => expect(await labelsOf(app)).toContain('Standing by'));
  await page.getByRole('heading', { name: 'Log in to Muster' }).waitFor();
  await logInAs(page, 'ada');
  await call(page, 'POST', '/push', { to: null, body: 'through the desktop' });
  expect(await bodies()).toEqual(['through the desktop']);
  await until(async () =>
    expect(await labelsOf(app)).toEqual(expect.arrayContaining(['Open console', 'Run agent'])),
  );
  expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(503);
  await until(async () =>
    expect(await page.evaluate('window.muster.standbyState()')).toMatchObject({
      ok: true,
      value: {
        role: 'standing by',
        active: { name: 'other', age: expect.any(Number) },
        others: [{ name: 'desktop', isComplete: true, isThere: true }],
      },
    }),
  );
});

test('says in one sentence what only the active machine can do', async () => {
  const folder = join(machine.folder, 'backups');
  mkdirSync(folder);
  await app.pickPath(folder);
  await page.evaluate('window.muster.chooseBackupFolder()');
  for (const word of ['lanState', 'turnLanOn', 'turnLanOff', 'keyState', 'exportKey', 'backUpNow'])
    expect(await page.evaluate(`window.muster.${word}()`)).toEqual({
      ok: false,
      code: 'unavailable',
      message: 'this machine stands by; do this on the machine that is active',
    });
});

test('takes over when the active machine is killed, and the open console goes on', async () => {
  await page.evaluate('window.isSamePage = true');
  other.child.kill('SIGKILL');
  await until(async () => expect((await labelsOf(app))[0]).toMatch(/^Running|item/));
  expect(await bodies()).toEqual(['through the desktop']);
  await call(page, 'POST', '/push', { to: null, body: 'of the desktop' });
  expect(await page.evaluate('window.isSamePage')).toBe(true);
  expect(await page.evaluate('window.muster.keyState()')).toMatchObject({
    ok: true,
    value: { place: 'environment' },
  });
  const answer = await fetch(`http://127.0.0.1:${port}/readyz`);
  expect(await answer.json()).toMatchObject({ status: 'ready' });
});

test('lets another machine stand by, which passes connections on to the app', async () => {
  const { words, env: own } = serveOther();
  const back = machine.start(['serve', '--port', '0', ...words], own);
  await back.shows('standing by at');
  const url = /standing by at (\S+)/.exec(back.stdout())?.[1] ?? '';
  await until(async () => expect((await fetch(`${url}/setup`)).status).not.toBe(503));
  await page.getByRole('link', { name: /Admin$/ }).click();
  // The screen is loaded only now, from the files of the app itself.
  await page.getByRole('link', { name: 'Network' }).click();
  await page.getByText('This machine is active: it answers the team.').waitFor();
  await page.getByText('“desktop” has been active since').waitFor();
  await page.getByRole('row', { name: /^other Stands by with everything/ }).waitFor();
  back.child.kill('SIGKILL');
  await back.ended;
});

test('ends at once and starts again when another machine has the lease', async () => {
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  await client.query('UPDATE muster.lease SET epoch = epoch + 1; UPDATE muster.beat SET epoch = epoch + 1');
  await client.end();
  await until(async () => expect(await app.said()).toContain('exit 75'));
  expect(await app.said()).toContain('relaunch');
  expect((await app.said()).filter((line) => line.startsWith('box '))).toEqual([]);
  // Only the stand-in is still there: what listens refuses.
  if (!app.isReal) expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(503);
  const log = readFileSync(join(app.paths.logsDir, 'desktop.log'), 'utf8');
  expect(log).toContain('this machine is no longer the active one');
  expect(log).not.toContain('the log of the standbys');
});

test('says that the database has no team yet, and opens the console when a machine brings one', async () => {
  await app.close();
  port = await freePort();
  const empty = await postgres.createDatabase();
  await open(port, empty);
  await until(async () => expect(await labelsOf(app)).toContain('Waiting for a team'));
  await page.getByText('The database of this machine has no team yet.').waitFor();
  await page.getByText('remove SVC_STANDBY_URL from its environment').waitFor();
  await page.setViewportSize({ width: 360, height: 740 });
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(360);
  const fresh = await prepareHome();
  onTestFinished(() => fresh.remove());
  const stores = ['--db', machine.path('new.db'), '--activity-db', machine.path('new-activity.db')];
  const own = { ...env, SVC_STANDBY_URL: empty, SVC_BROKER_NAME: 'new' };
  const bringing = await machine.serve(['--config-path', fresh.configPath, ...stores], own);
  await page.getByRole('heading', { name: 'Log in to Muster' }).waitFor();
  await until(async () => expect(await labelsOf(app)).toContain('Standing by'));
  bringing.child.kill('SIGKILL');
  await app.quit();
  await until(async () => expect((await app.said()).slice(-2)).toEqual(['tray gone', 'exit 0']));
  await expect(fetch(`http://127.0.0.1:${port}/healthz`)).rejects.toThrow();
});
