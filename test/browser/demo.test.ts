/** `muster demo` as a newcomer sees it: whole processes, the real runner, and a real browser. */
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createHome, type Home, type Running } from '../../bin/testing/command.ts';
import { builtConsole } from './testing/built-console.ts';
import { sharedChromium } from './testing/chromium.ts';

let home: Home;
let context: BrowserContext;
beforeEach(async () => {
  await builtConsole();
  home = await createHome();
  mkdirSync(home.path('tmp'));
  context = await (await sharedChromium()).newContext({ viewport: { width: 1280, height: 860 } });
  // The agents take their time, as agents do.
  context.setDefaultTimeout(90_000);
});
afterEach(async () => {
  await context.close();
  await home.remove();
});

const start = (): Running => home.start(['demo', '--no-open', '--port', '0'], { TMPDIR: home.path('tmp') });
const startWithNpm = (): Running =>
  home.startScript([join(import.meta.dirname, '../../bin/start.ts'), '--demo', '--no-open', '--port', '0'], {
    TMPDIR: home.path('tmp'),
  });
const linkOf = async (demo: Running): Promise<string> => {
  await demo.shows('Ctrl+C to end the demo');
  return /^ {2}(http:\S+#login=\S+)$/m.exec(demo.stdout())?.[1] ?? '';
};
const folders = (): string[] => readdirSync(home.path('tmp'));

/** The processes that work in this home. */
function processes(): string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`TMPDIR=${home.path('tmp')}`);
    } catch {
      return false;
    }
  });
}

async function open(demo: Running): Promise<Page> {
  const page = await context.newPage();
  await page.goto(await linkOf(demo));
  await page.getByRole('heading', { name: 'Needs you', exact: true }).waitFor();
  return page;
}

/** The rows of agents in such a state. */
const agentRows = (page: Page, state: RegExp) =>
  page.getByRole('table', { name: 'Agents', exact: true }).getByRole('row', { name: state });

it('shows agents at work, who react to what the visitor decides, and leaves nothing behind', {
  timeout: 240_000,
}, async () => {
  const demo = start();
  const page = await open(demo);
  await page.getByText('Cy’s new laptop is waiting for approval').waitFor();
  await page.getByText('Blocked: Move the map server').waitFor();

  await page.getByRole('link', { name: /^Messages/ }).click();
  await page
    .getByRole('link', { name: /^release/ })
    .first()
    .click();
  // The agents answer each other three times; the limit of the team holds the fourth post.
  await page.getByText('1 post of agents held').waitFor();
  await page.getByText('I suggest that you submit it to the store tonight').first().waitFor();

  // A message that reaches an agent in the turn of the held post counts as caused by it, too.
  await page.goto(new URL('/app/agents', page.url()).href);
  const idle = agentRows(page, /\b(idle|waiting for)\b/);
  await expect.poll(() => idle.count(), { timeout: 30_000 }).toBe(2);
  await page.goto(new URL('/app/objectives', page.url()).href);
  await page.getByRole('listitem').getByRole('link', { name: 'Move the map server' }).click();
  await page.getByRole('textbox', { name: 'Message the thread' }).fill('Monday, please.');
  await page.keyboard.press('Enter');
  await page.getByText('Thank you. I plan the move for Monday at 22:00').first().waitFor();
  await page.getByText('The move is planned for Monday at 22:00').first().waitFor();

  demo.child.kill('SIGINT');
  expect((await demo.ended).code).toBe(0);
  expect(folders()).toEqual([]);
  await expect.poll(processes).toEqual([]);
});

it('has both agents at work when npm start begins it', async () => {
  const demo = startWithNpm();
  const page = await open(demo);
  await page.goto(new URL('/app/agents', page.url()).href);
  const online = agentRows(page, /\b(idle|waiting for|working)\b/);
  await expect.poll(() => online.count(), { timeout: 30_000 }).toBe(2);
  demo.child.kill('SIGINT');
  expect((await demo.ended).code).toBe(0);
  expect(demo.stderr()).toBe('');
});

it('ends its agents when it is killed, and the next one starts fresh', async () => {
  const killed = start();
  await linkOf(killed);
  expect(processes().length).toBeGreaterThan(2);
  killed.child.kill('SIGKILL');
  await killed.ended;
  await expect.poll(processes, { timeout: 20_000 }).toEqual([]);
  expect(folders()).toHaveLength(1);
  const next = start();
  await linkOf(next);
  expect(folders()).toHaveLength(1);
  next.child.kill('SIGTERM');
  expect((await next.ended).code).toBe(0);
  expect(folders()).toEqual([]);
});
