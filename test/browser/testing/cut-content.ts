/** The content that the right edge of the window, or of a part of the page, cuts off. */
import type { Page } from 'playwright-core';

/**
 * Runs in the page. A text that ends with an ellipsis counts as shown, and so does what is in an element that is
 * meant to scroll sideways.
 */
const cutInPage = `(() => {
  const isScroller = (it) => it.matches('pre, textarea, [aria-label=Board], .overflow-x-auto, [role=tablist]');
  function edgeOf(element) {
    if (!element.checkVisibility({ visibilityProperty: true })) return Infinity;
    let edge = Infinity;
    for (let it = element; it !== null; it = it.parentElement) {
      const { overflowX, textOverflow, clipPath } = getComputedStyle(it);
      // Text that is only for screen readers is clipped.
      if (textOverflow === 'ellipsis' || clipPath !== 'none') return Infinity;
      if (isScroller(it)) return edge;
      if (overflowX !== 'visible') edge = Math.min(edge, it.getBoundingClientRect().right);
    }
    return Math.min(edge, innerWidth);
  }
  const cut = [];
  const check = (element, rects, name) => {
    const right = Math.max(0, ...[...rects].map((rect) => rect.right));
    if (right > edgeOf(element) + 1) cut.push(name.trim().slice(0, 60) + ' by ' + Math.ceil(right - edgeOf(element)) + ' px');
  };
  for (const it of document.querySelectorAll('a, button, input, select, textarea'))
    check(it.parentElement, [it.getBoundingClientRect()], it.tagName + ' ' + (it.getAttribute('aria-label') ?? it.textContent));
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const { currentNode: text } = texts;
    if (text.data.trim() === '' || text.parentElement.matches('option, script, style')) continue;
    const range = document.createRange();
    range.selectNodeContents(text);
    check(text.parentElement, range.getClientRects(), text.data);
  }
  const wider = document.scrollingElement.scrollWidth - innerWidth;
  return [...(wider > 0 ? ['the page by ' + wider + ' px'] : []), ...cut];
})()`;

/** Returns a line for each control and text that is cut off, and for the page if it scrolls sideways. */
export const cutContent = (page: Page): Promise<string[]> => page.evaluate(cutInPage);
