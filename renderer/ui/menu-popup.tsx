/** The open menu. */
import { Menu as Base } from '@base-ui/react/menu';
import type { RefObject } from 'react';
import { cx } from './class-names.ts';
import { useFinalFocus } from './final-focus.ts';
import type { MenuItem } from './menu.tsx';

export interface MenuPopupProps {
  anchor: RefObject<HTMLElement | null>;
  items: readonly (MenuItem | 'separator')[];
  onClose: () => void;
  focusAfter: () => HTMLElement | null;
}

export function MenuPopup({ anchor, items, onClose, focusAfter }: MenuPopupProps) {
  const { finalFocus } = useFinalFocus(focusAfter);
  return (
    <Base.Root open onOpenChange={(isOpen) => isOpen || onClose()}>
      <Base.Portal>
        <Base.Positioner anchor={anchor} sideOffset={4} align="end" className="z-50">
          <Base.Popup
            finalFocus={finalFocus}
            className="min-w-44 rounded-md border border-line bg-raised p-1 shadow-(--shadow) outline-none"
          >
            {items.map((item, index) =>
              item === 'separator' ? (
                // biome-ignore lint/suspicious/noArrayIndexKey: separators have nothing else
                <Base.Separator key={`separator-${index}`} className="my-1 h-px bg-line" />
              ) : (
                <Base.Item
                  key={item.label}
                  onClick={item.onSelect}
                  className={cx(
                    'flex h-8 cursor-default items-center gap-2 rounded-sm px-2 outline-none data-highlighted:bg-hover [&_svg]:size-4',
                    item.isDanger && 'text-critical',
                  )}
                >
                  {item.icon}
                  {item.label}
                </Base.Item>
              ),
            )}
          </Base.Popup>
        </Base.Positioner>
      </Base.Portal>
    </Base.Root>
  );
}
