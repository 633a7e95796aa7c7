/** Shows the short notices. */
import { Toast as Base } from '@base-ui/react/toast';
import { X } from 'lucide-react';
import { useEffect } from 'react';
import { Button, IconButton } from './button.tsx';
import { type Notice, showNotices } from './toast.ts';

/** A member who wants to take something back has to read the notice first. */
const undoTimeoutMs = 10_000;

const manager = Base.createToastManager();

function add({ title, description, isUrgent = false, undo, onKept }: Notice): void {
  let isUndone = false;
  const id = manager.add({
    title,
    ...(description !== undefined && { description }),
    ...(isUrgent && { priority: 'high' }),
    ...(undo !== undefined && {
      timeout: undoTimeoutMs,
      onClose: () => isUndone || onKept?.(),
      actionProps: {
        children: 'Undo',
        onClick() {
          isUndone = true;
          manager.close(id);
          undo();
        },
      },
    }),
  });
}

function Toasts() {
  const { toasts } = Base.useToastManager();
  return toasts.map((one) => (
    <Base.Root
      key={one.id}
      toast={one}
      data-notice
      className="pointer-events-auto flex w-80 items-start justify-between gap-2 rounded-md border border-line bg-raised p-3 shadow-(--shadow)"
    >
      <div>
        <Base.Title className="font-medium" />
        <Base.Description className="text-sm text-soft" />
      </div>
      <Base.Action render={<Button size="small" className="ml-auto" />} />
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

/** Mounted after the provider, which must listen before the first notice. */
function Source() {
  useEffect(() => showNotices(add), []);
  return null;
}

export function ToastLayer() {
  return (
    <>
      <Base.Provider toastManager={manager}>
        <Base.Portal>
          {/* Above the composer and “Jump to latest”, and the bar at the bottom of a narrow screen. */}
          <Base.Viewport className="pointer-events-none fixed right-4 bottom-36 z-50 flex flex-col gap-2 max-md:bottom-48">
            <Toasts />
          </Base.Viewport>
        </Base.Portal>
      </Base.Provider>
      <Source />
    </>
  );
}
