/** The element that has the focus, for tests. */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** Returns a poll of what has the focus: its tag, and its label or text, for example `button Save`. */
export const focused = (page: Page) =>
  expect.poll(
    () =>
      page.evaluate(`(() => {
        const it = document.activeElement;
        const name = it.getAttribute('aria-label') ?? it.labels?.[0]?.innerText ?? it.innerText;
        return it.tagName.toLowerCase() + ' ' + name.trim().replace(/\\s+/g, ' ');
      })()`),
    { message: 'the element with the focus' },
  );
