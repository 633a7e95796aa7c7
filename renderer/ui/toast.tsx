/**
 * Short notices at the edge of the screen, announced politely to screen readers. An error that blocks is
 * never shown only here.
 */
import { Toast as Base } from '@base-ui/react/toast';
import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { IconButton } from './button.tsx';
import { sentenceOf } from './states.tsx';

const manager = Base.createToastManager();

export const toast = (title: string, description?: string): void =>
  void manager.add({ title, ...(description !== undefined && { description }) });
export const toastError = (error: unknown): void =>
  void manager.add({ title: 'The action failed', description: sentenceOf(error), priority: 'high' });

function Toasts() {
  const { toasts } = Base.useToastManager();
  return toasts.map((one) => (
    <Base.Root
      key={one.id}
      toast={one}
      className="pointer-events-auto flex w-80 items-start justify-between gap-2 rounded-md border border-line bg-raised p-3 shadow-(--shadow)"
    >
      <div>
        <Base.Title className="font-medium" />
        <Base.Description className="text-sm text-soft" />
      </div>
      <Base.Close
        render={
          <IconButton label="Dismiss" className="-m-1">
            <X />
          </IconButton>
        }
      />
    </Base.Root>
  ));
}

export function ToastProvider({ children }: { children: ReactNode }) {
  return (
    <Base.Provider toastManager={manager}>
      {children}
      <Base.Portal>
        <Base.Viewport className="pointer-events-none fixed right-4 bottom-4 z-50 flex flex-col gap-2">
          <Toasts />
        </Base.Viewport>
      </Base.Portal>
    </Base.Provider>
  );
}
