/** The menu of a narrow screen: a drawer over the page, closed by Escape, by Back, by a tap beside it, and by each choice. */
import { Dialog } from '@base-ui/react/dialog';
import { useBlocker } from '@tanstack/react-router';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { IconButton } from '../ui/button.tsx';

export interface DrawerProps {
  isOpen: boolean;
  onClose: () => void;
  children: ReactNode;
}

export function Drawer({ isOpen, onClose, children }: DrawerProps) {
  useBlocker({
    disabled: !isOpen,
    enableBeforeUnload: false,
    shouldBlockFn({ action }) {
      if (action !== 'BACK') return false;
      onClose();
      return true;
    },
  });
  return (
    <Dialog.Root open={isOpen} onOpenChange={(isStillOpen) => isStillOpen || onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="fixed inset-0 z-40 bg-(--overlay) md:hidden" />
        <Dialog.Popup
          aria-label="Menu"
          className="fixed inset-y-0 left-0 z-40 flex w-64 max-w-[85vw] flex-col border-r border-line bg-sunken shadow-(--shadow) outline-none md:hidden"
        >
          <Dialog.Close
            render={
              <IconButton label="Close the menu" className="absolute top-2 right-2">
                <X />
              </IconButton>
            }
          />
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
