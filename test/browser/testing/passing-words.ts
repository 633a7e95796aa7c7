/** Words that pass, as those of a toast: the page itself notes that it showed them, however late whoever asks may look. */
import type { Page } from 'playwright-core';
import { expect } from 'vitest';

/** The page looks from now on, so it is called before the act; answers what waits until they were shown. @throws Error when they are there already. */
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
