/** Every screen, with its open layers, meets WCAG 2.2 AA as far as axe can tell, in light and dark. */
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ConsolePage, type ConsoleTeam, startConsole } from './testing/console-team.ts';
import { type Demo, demoMembers, fillTeam } from './testing/demo-team.ts';
import { showPagesOfFailures } from './testing/failure-view.ts';
import { screenNames, screensOf, visitScreen } from './testing/screens.ts';

let shared: ConsoleTeam;
showPagesOfFailures(() => shared?.browser);
let demo: Demo;
beforeAll(async () => {
  shared = await startConsole({ members: demoMembers });
  demo = await fillTeam(shared.team);
});
afterAll(() => shared?.stop());

interface AxeResult {
  violations: { id: string; help: string; nodes: { html: string; failureSummary?: string }[] }[];
}

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const everything = { type: 'tag', values: tags };
/** The two looks differ in colors only. */
const colors = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] };

/**
 * Returns one line per violation. The page's policy admits no script, so axe runs as the debugger's script.
 */
async function violationsOf(page: Page, rules: object): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source);
  const options = JSON.stringify({
    resultTypes: ['violations'],
    runOnly: rules,
    rules: { 'target-size': { enabled: true }, region: { enabled: true } },
    preload: false,
  });
  const { violations } = (await page.evaluate(`axe.run(document, ${options})`)) as AxeResult;
  return violations.flatMap(({ id, nodes }) =>
    nodes
      // A menu or a list to choose from is a layer of its own and in no landmark.
      .filter(({ html }) => id !== 'region' || !/role="(menu|listbox)"/.test(html))
      .slice(0, 3)
      .map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)} ${failureSummary ?? ''}`),
  );
}

/** Resolves when colors have reached their final values, also those of a layer that is still being faded in. */
async function look(page: Page, colorScheme: 'light' | 'dark'): Promise<void> {
  await page.emulateMedia({ colorScheme });
  const isStill = `document.documentElement.dataset.theme === '${colorScheme}'
    && document.querySelector('[data-starting-style]') === null
    && document.getAnimations().every(({ playState }) => playState !== 'running')`;
  const twoFrames = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))';
  await page.evaluate(twoFrames);
  await expect.poll(() => page.evaluate(isStill)).toBe(true);
  await page.evaluate(twoFrames);
}

async function inBothLooks(page: Page): Promise<string[]> {
  await look(page, 'light');
  const light = await violationsOf(page, everything);
  await look(page, 'dark');
  const dark = await violationsOf(page, colors);
  return [...light, ...dark.map((one) => `in dark: ${one}`)];
}

describe.each([1280, 390])('every screen, in light and dark, at %i px', (width) => {
  let eyes: ConsolePage;
  beforeAll(async () => {
    eyes = await shared.open('ada', { width });
  });
  afterAll(() => eyes?.context.close());

  // One test per screen, because together they would exceed the time limit of one test on a slow machine.
  // A narrow screen has no button for the palette.
  it.each(screenNames.filter((name) => width > 640 || name !== 'palette'))(
    'has no violation that axe finds: %s',
    async (wanted) => {
      const { page, errors } = eyes;
      for (const screen of screensOf(demo).filter(({ name }) => name === wanted))
        await visitScreen(page, screen);
      expect(await inBothLooks(page)).toEqual([]);
      // Each screen answers for its own.
      expect(errors.splice(0)).toEqual([]);
    },
  );

  it.runIf(width > 640)('shows no violation while a tooltip is open', async () => {
    const { page, context } = await shared.open('ada', { width, path: '/app/conversations/general' });
    const action = page.getByRole('button', { name: 'Copy link' }).first();
    await action.hover();
    await page.locator('[data-side]', { hasText: 'Copy link' }).first().waitFor();
    await look(page, 'light');
    expect(await violationsOf(page, everything)).toEqual([]);
    await context.close();
  });

  it('shows no violation in the login and the setup', async () => {
    const context = await shared.browser.newContext({
      ...{ baseURL: shared.team.url, reducedMotion: 'reduce', viewport: { width, height: 860 } },
    });
    const page = await context.newPage();
    await page.goto('/app');
    await page.getByRole('heading', { name: 'Log in to Muster' }).waitFor();
    expect(await inBothLooks(page)).toEqual([]);
    await page.goto('/setup#key=abc');
    await page.getByRole('heading', { name: 'Set up Muster' }).waitFor();
    expect(await inBothLooks(page)).toEqual([]);
    await context.close();
  });
});
