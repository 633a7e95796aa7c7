/** The texts of a page that end with an ellipsis and whose whole is nowhere to be read. */
import type { Page } from 'playwright-core';

/** Runs in the page. */
const shortenedInPage = (source: string) => `(() => {
  const pattern = new RegExp(${JSON.stringify(source)});
  const isCut = (it) => {
    const { textOverflow, webkitLineClamp } = getComputedStyle(it);
    return (
      (textOverflow === 'ellipsis' && it.scrollWidth > it.clientWidth) ||
      (webkitLineClamp !== 'none' && it.scrollHeight > it.clientHeight)
    );
  };
  return [...document.body.querySelectorAll('*')]
    .filter((it) => it.checkVisibility({ visibilityProperty: true }) && pattern.test(it.textContent) && isCut(it))
    // A heading is whole while a finger is on it.
    .filter((it) => {
      const before = document.activeElement;
      it.focus({ preventScroll: true });
      const isStillCut = isCut(it);
      if (document.activeElement === it) before === document.body ? it.blur() : before.focus({ preventScroll: true });
      return isStillCut;
    })
    .filter((it) => !(it.closest('[title]')?.title ?? '').includes(it.textContent.trim()))
    .map((it) => it.tagName + ' ' + it.className + ': ' + it.textContent.trim().slice(0, 60));
})()`;

/** Returns a line for each element with a text like `pattern` that is cut short, also with the focus, and has no title with the whole. */
export const shortened = (page: Page, pattern: RegExp): Promise<string[]> =>
  page.evaluate(shortenedInPage(pattern.source));
