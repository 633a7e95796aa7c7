/** The controls of a page that a finger misses, for tests. */
import type { Page } from 'playwright-core';

/**
 * Returns the controls that are on the screen or can be scrolled to, and of which a square of 44 px around the center does not hit the
 * control itself. Links within a text are left out, because their lines are as high as the text.
 */
export const smallTargets = (page: Page) => page.evaluate<string[]>(probe);

const probe = `(async () => {
  const reach = 21;
  const controls = 'a[href], button, input, textarea, summary, [role=tab], [role=menuitem], [role=option], [role=combobox], [role=checkbox], [role=switch]';
  const layers = [...document.querySelectorAll('[role=dialog], [role=alertdialog], [role=menu], [role=listbox]')]
    .filter((layer) => layer.matches(':not([data-notice])') && layer.checkVisibility());
  const top = layers.at(-1) ?? document.body;
  const placed = (it) => (getComputedStyle(it).position === 'static' ? placed(it.parentElement) : it);
  const isInText = (it) => it.matches('a') && getComputedStyle(it).display === 'inline';
  const found = [];
  for (const it of top.querySelectorAll(controls)) {
    if (!it.checkVisibility({ visibilityProperty: true, opacityProperty: true }) || isInText(it)) continue;
    if (it.closest('[aria-hidden=true], [inert]') || it.type === 'file') continue;
    if (getComputedStyle(it).clipPath !== 'none') continue;
    const target = it.matches('[type=checkbox], [type=radio]') ? it.closest('label') ?? it : it;
    // The link of a row covers all of it.
    const { position, content } = getComputedStyle(it, '::after');
    const covered = position === 'absolute' && content !== 'none' ? placed(it.parentElement) : target;
    target.scrollIntoView({ block: 'center', inline: 'center' });
    // A list that draws only what is on the screen measures what has come.
    for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame);
    if (!it.isConnected) continue;
    const { left, top: up, width, height } = covered.getBoundingClientRect();
    const x = left + width / 2;
    const y = up + height / 2;
    const isHit = (dx, dy) => {
      const hit = document.elementFromPoint(Math.min(innerWidth - 1, Math.max(0, x + dx)), Math.min(innerHeight - 1, Math.max(0, y + dy)));
      return hit !== null && (target.contains(hit) || hit.closest('label')?.control === it);
    };
    const missed = [[0, -reach], [0, reach], [-reach, 0], [reach, 0]].filter(([dx, dy]) => !isHit(dx, dy));
    if (missed.length > 0)
      found.push(it.tagName.toLowerCase() + ' “' + (it.ariaLabel ?? it.labels?.[0]?.innerText ?? it.innerText).trim().slice(0, 40) + '” ' + Math.round(width) + '×' + Math.round(height));
  }
  return [...new Set(found)];
})()`;
