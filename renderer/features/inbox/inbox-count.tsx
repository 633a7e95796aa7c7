/** The number of things that need the member, in the title and the icon of the tab, and on the icon of the installed console. */
import { useEffect } from 'react';
import { countText } from '../../ui/count.rules.ts';
import { useTitleCount } from '../../ui/document-title.ts';
import { useInbox } from './use-inbox.ts';

const icon = () => document.querySelector<HTMLLinkElement>('link[rel="icon"]');

/** The product's mark with a count over it. */
const iconWith = (shown: string): string => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="8" fill="#2f6f5e"/>
<path d="M8 22V12l8 7 8-7v10" fill="none" stroke="#fff" stroke-width="2.4" stroke-linecap="round"/>
<rect x="${32 - 8 - shown.length * 8}" y="14" width="${8 + shown.length * 8}" height="18" rx="9" fill="#c0362c"/>
<text x="${28 - shown.length * 4}" y="28" font-family="sans-serif" font-size="14" font-weight="700" fill="#fff" text-anchor="middle">${shown}</text>
</svg>`;

function useIconCount(count: number): void {
  useEffect(() => {
    const link = icon();
    if (link === null || count === 0) return;
    const before = link.href;
    link.href = `data:image/svg+xml,${encodeURIComponent(iconWith(countText(count, false).shown))}`;
    return () => {
      link.href = before;
    };
  }, [count]);
}

/** Only where the browser has badges, which needs a secure context, and only for an installed console. */
function useBadge(count: number): void {
  useEffect(() => {
    if ('setAppBadge' in navigator) navigator.setAppBadge(count).catch(() => undefined);
  }, [count]);
}

/** Shows nothing on the screen itself. */
export function InboxCount() {
  const { data: items = [] } = useInbox();
  const count = items.length;
  useTitleCount(count);
  useIconCount(count);
  useBadge(count);
  return null;
}
