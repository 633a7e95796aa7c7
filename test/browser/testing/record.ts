/**
 * `npm run record`: takes the pictures of README.md from the demo, light and dark, when its agents have talked to each other.
 * Usage: `node test/browser/testing/record.ts`
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import type { Browser } from 'playwright-core';
import { createHome } from '../../../bin/testing/command.ts';
import { root } from '../../testing/build-once.ts';
import { builtConsole } from './built-console.ts';
import { launchChromium } from './chromium.ts';

const folder = join(root, 'docs', 'pictures');
const viewport = { width: 1280, height: 800 };
// The agents take their time, as agents do.
const timeoutMs = 120_000;

async function take(browser: Browser, link: string, scheme: 'light' | 'dark'): Promise<void> {
  const context = await browser.newContext({ viewport, colorScheme: scheme, reducedMotion: 'reduce' });
  context.setDefaultTimeout(timeoutMs);
  const page = await context.newPage();
  await page.goto(link);
  await page.getByRole('link', { name: /^Messages/ }).click();
  await page
    .getByRole('link', { name: /^release/ })
    .first()
    .click();
  await page.getByText('1 post of agents held').waitFor();
  await page.getByRole('button', { name: 'Jump to latest' }).click();
  await page.getByText('The text now says').first().waitFor();
  await page.screenshot({ path: join(folder, `console-${scheme}.png`), animations: 'disabled' });
  await page.getByRole('link', { name: /^Inbox/ }).click();
  await page
    .getByRole('link', { name: /^A post by/ })
    .first()
    .click();
  await page
    .getByRole('region', { name: 'Opened item' })
    .getByRole('log')
    .getByRole('article')
    .first()
    .waitFor();
  await page.screenshot({ path: join(folder, `inbox-${scheme}.png`), animations: 'disabled' });
  await context.close();
}

mkdirSync(folder, { recursive: true });
await builtConsole();
const browser = await launchChromium();
const home = await createHome();
try {
  for (const scheme of ['light', 'dark'] as const) {
    const demo = home.start(['demo', '--no-open', '--port', '0']);
    await demo.shows('Ctrl+C to end the demo');
    const [link = ''] = /http:\S+#login=\S+/.exec(demo.stdout()) ?? [];
    await take(browser, link, scheme);
    demo.child.kill('SIGINT');
    await demo.ended;
  }
} finally {
  await home.remove();
  await browser.close();
}
process.stdout.write(`The pictures are in ${folder}.\n`);
