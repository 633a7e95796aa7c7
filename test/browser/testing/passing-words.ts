/**
 * Text that disappears, such as that of a toast: the page itself records that it was shown, however late the
 * test looks.
 */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/**
 * The page watches from now on, so call this before the action. Returns a function that waits until the text
 * was shown. @throws Error if the text is already there.
 */
export async function watchFor(page: Page, words: string): Promise<() => Promise<void>> {
  const watch = await page.evaluateHandle(`(() => {
    const isThere = () => document.body.innerText.includes(${JSON.stringify(words)});
    if (isThere()) throw new Error('it is there already');
    const watch = { wasThere: false };
    new MutationObserver((_changes, self) => {
      if (!isThere()) return;
      watch.wasThere = true;
      self.disconnect();
    }).observe(document, { subtree: true, childList: true, characterData: true });
    return watch;
  })()`);
  return async () => {
    await expect
      .poll(async () => (await watch.getProperty('wasThere')).jsonValue(), { message: words })
      .toBe(true);
  };
}
