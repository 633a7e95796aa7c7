/** The documentation site as a broker serves it: search, both color schemes, and the policy in a real browser. */
import type { BrowserContext } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestBroker, type TestBroker } from '../../broker/testing/test-broker.ts';
import { builtDocs } from '../testing/built-docs.ts';
import { complaintsOf, sharedChromium } from './testing/chromium.ts';

let team: TestBroker;
let context: BrowserContext;
beforeAll(async () => {
  const docsFolder = await builtDocs();
  team = await startTestBroker({ members: { ada: ['admin'] }, docsFolder });
  context = await (await sharedChromium()).newContext({ colorScheme: 'light', reducedMotion: 'reduce' });
}, 120_000);
afterAll(async () => {
  await context?.close();
  await team?.stop();
});

it('finds a word by the search, follows the result, and breaks no policy', async () => {
  const page = await context.newPage();
  const complaints = complaintsOf(page, team.url);
  await page.goto(`${team.url}/docs`);
  await page.getByRole('heading', { name: 'Muster', level: 1 }).waitFor();
  await page
    .getByRole('button', { name: /search/i })
    .first()
    .click();
  await page.getByRole('searchbox').fill('trustedProxies');
  await page.locator('.result', { hasText: 'Behind a reverse proxy' }).first().click();
  await page.waitForURL(/\/docs\/guides\/operations\.html#behind-a-reverse-proxy$/);
  await page.getByRole('heading', { name: 'Behind a reverse proxy' }).waitFor();
  expect(complaints).toEqual([]);
});

it('is dark where the system is dark, and changes when a person asks for it', async () => {
  const page = await context.newPage();
  const complaints = complaintsOf(page, team.url);
  const isDark = () => page.evaluate("document.documentElement.classList.contains('dark')");
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.goto(`${team.url}/docs/guides/http-api/messages.html`);
  expect(await isDark()).toBe(true);
  await page.getByRole('switch').first().click();
  await expect.poll(isDark).toBe(false);
  expect(complaints).toEqual([]);
});

it('offers the pages and the skill to models', async () => {
  const list = await team.fetch(null, '/docs/llms.txt').then((reply) => reply.text());
  const paths = [...list.matchAll(/\]\((\/docs\/[^)]+)\)/g)].map(([, path = '']) => path);
  expect(paths).toContain('/docs/guides/SKILL.md');
  for (const path of paths)
    expect({ path, status: (await team.fetch(null, path)).status }).toEqual({ path, status: 200 });
  expect(await team.fetch(null, '/docs/guides/SKILL.md').then((reply) => reply.text())).toContain(
    'name: muster-team',
  );
});
