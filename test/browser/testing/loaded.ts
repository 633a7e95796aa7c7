/** Waits for a part of the console that is loaded only when the page is idle. */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** `part`: the name of its file, such as `habits`. */
export const loaded = (page: Page, part: string): Promise<void> =>
  expect
    .poll(() =>
      page.evaluate(
        `performance.getEntriesByType('resource').some(({ name }) => name.includes('/${part}-'))`,
      ),
    )
    .toBe(true);
