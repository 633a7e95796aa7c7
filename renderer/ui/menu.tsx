/** A menu of actions behind a button. */
import { Menu as Base } from '@base-ui/react/menu';
import type { ReactElement, ReactNode } from 'react';
import { cx } from './class-names.ts';

export interface MenuItem {
  label: string;
  icon?: ReactNode;
  isDanger?: boolean;
  isDisabled?: boolean;
  onSelect: () => void;
}

export function Menu({
  trigger,
  items,
}: {
  trigger: ReactElement;
  items: readonly (MenuItem | 'separator')[];
}) {
  return (
    <Base.Root>
      <Base.Trigger render={trigger} />
      <Base.Portal>
        <Base.Positioner sideOffset={4} align="end" className="z-50">
          <Base.Popup className="min-w-44 rounded-md border border-line bg-raised p-1 shadow-(--shadow) outline-none">
            {items.map((item, index) =>
              item === 'separator' ? (
                // biome-ignore lint/suspicious/noArrayIndexKey: separators have nothing else
                <Base.Separator key={`separator-${index}`} className="my-1 h-px bg-line" />
              ) : (
                <Base.Item
                  key={item.label}
                  disabled={item.isDisabled ?? false}
                  onClick={item.onSelect}
                  className={cx(
                    'flex h-8 cursor-default items-center gap-2 rounded-sm px-2 outline-none data-disabled:opacity-50 data-highlighted:bg-hover [&_svg]:size-4',
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
