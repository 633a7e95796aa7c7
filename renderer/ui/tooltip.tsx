/** A short name on hover and focus, with its shortcut. It is never the only place of the information. */
import { cloneElement, type ReactElement } from 'react';

/** The attributes that the layer of the tooltips reads from an element. */
export const tooltipData = { text: 'data-tooltip', keys: 'data-tooltip-keys' } as const;

/** `children`: one element that passes `data-` attributes on. One layer shows the tooltips of the whole page. */
export function Tooltip({
  text,
  shortcut,
  children,
}: {
  text: string;
  shortcut?: string | undefined;
  children: ReactElement;
}) {
  return cloneElement(children, { [tooltipData.text]: text, [tooltipData.keys]: shortcut } as object);
}
