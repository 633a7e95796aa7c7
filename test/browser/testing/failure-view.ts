/** Prints what the pages of a failed test showed, because a rare failure may be seen only once. */
import type { Browser } from 'playwright-core';
import { afterEach } from 'vitest';

/** Call this once per file. `browser` is called when a test has failed. */
export function showPagesOfFailures(browser: () => Browser | undefined): void {
  afterEach(async ({ task }) => {
    if (task.result?.state !== 'fail') return;
    for (const context of browser()?.contexts() ?? [])
      for (const page of context.pages()) {
        const view = await page
          .locator('body')
          .ariaSnapshot({ timeout: 2000 })
          .catch((error: unknown) => String(error));
        console.error(`${task.name}\n${page.url()}\n${view}`);
      }
  });
}
