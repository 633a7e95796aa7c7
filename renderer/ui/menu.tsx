/** A menu of actions behind a button. */
import {
  cloneElement,
  type MouseEvent,
  type ReactElement,
  type ReactNode,
  Suspense,
  useRef,
  useState,
} from 'react';
import { lazyScreen } from '../lazy-screen.ts';

export interface MenuItem {
  label: string;
  icon?: ReactNode;
  isDanger?: boolean;
  onSelect: () => void;
}

/** Its code is loaded ahead, with the other layers. */
export const MenuPopup = lazyScreen(() => import('./menu-popup.tsx'), 'MenuPopup');

/** `trigger`: a button. */
export function Menu({
  trigger,
  items,
  focusAfter,
}: {
  trigger: ReactElement;
  items: readonly (MenuItem | 'separator')[];
  /** Returns where the focus goes when the menu closes; null for the trigger. */
  focusAfter?: () => HTMLElement | null;
}) {
  const [isOpen, setOpen] = useState(false);
  const anchor = useRef<HTMLElement | null>(null);
  return (
    <>
      {cloneElement(trigger, {
        'aria-haspopup': 'menu',
        'aria-expanded': isOpen,
        onClick(event: MouseEvent<HTMLElement>) {
          anchor.current = event.currentTarget;
          setOpen(true);
        },
      } as object)}
      {isOpen ? (
        <Suspense fallback={null}>
          <MenuPopup
            anchor={anchor}
            items={items}
            onClose={() => setOpen(false)}
            focusAfter={() => focusAfter?.() ?? anchor.current}
          />
        </Suspense>
      ) : null}
    </>
  );
}
