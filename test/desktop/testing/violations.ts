/** The violations that axe finds in a page of the app. */
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { until } from './until.ts';

/** The violations of the page as it is, in light and dark, one line each. */
export async function violations(page: Page): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source);
  const found: string[] = [];
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    await until(async () =>
      expect(
        await page.evaluate(
          `document.documentElement.dataset.theme === '${colorScheme}' && document.getAnimations().every(({ playState }) => playState !== 'running')`,
        ),
      ).toBe(true),
    );
    const result = (await page.evaluate(
      `axe.run(document, { resultTypes: ['violations'], preload: false })`,
    )) as { violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[] };
    for (const { id, nodes } of result.violations)
      for (const { html, failureSummary } of nodes)
        found.push(`${colorScheme} ${id}: ${html.slice(0, 200)} ${failureSummary ?? ''}`);
  }
  return found;
}
