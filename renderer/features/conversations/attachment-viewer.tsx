/** The file in the address, over the thread, with the other files of its message. */
import { useNavigate } from '@tanstack/react-router';
import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useEffect } from 'react';
import type { Message } from '#protocol/message.ts';
import { IconButton } from '../../ui/button.tsx';
import { useClosingLayer } from '../../ui/layers.ts';
import { FileDialog } from '../files/preview.tsx';

/** The key moves the caret, or scrolls something that has the focus. */
const isNeeded = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.closest('form, input, textarea, [role=combobox], [role=listbox], [role=alertdialog]') !== null ||
    (target.matches('[role=group]') && target.scrollWidth > target.clientWidth));

/** Calls `go` with -1 or 1 for an arrow key that nothing else needs. */
function useArrows(go: (step: number) => void): void {
  useEffect(() => {
    function onKeyDown(event: KeyboardEvent): void {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
      const { altKey, ctrlKey, metaKey, shiftKey, target } = event;
      if (step === undefined || altKey || ctrlKey || metaKey || shiftKey) return;
      if (isNeeded(target)) return;
      event.preventDefault();
      go(step);
    }
    // The dialog lets no arrow key out of it.
    document.addEventListener('keydown', onKeyDown, true);
    return () => document.removeEventListener('keydown', onKeyDown, true);
  }, [go]);
}

export function AttachmentViewer({ path, messages }: { path: string; messages: readonly Message[] }) {
  const navigate = useNavigate();
  const close = useClosingLayer();
  const paths = messages.find(({ attachments }) => attachments.includes(path))?.attachments ?? [path];
  const at = paths.indexOf(path);
  const show = (file: string | undefined) =>
    void navigate({
      to: '.',
      search: (search) => ({ ...search, file }),
      state: (before) => before,
      replace: true,
    });
  /** After the last file comes the first one. */
  const go = (step: number) => {
    if (paths.length > 1) show(paths[(at + step + paths.length) % paths.length]);
  };
  useArrows(go);
  return (
    <FileDialog
      path={path}
      onClose={(movedTo) => (movedTo === undefined ? close(() => show(undefined)) : show(movedTo))}
      toolbar={
        paths.length < 2 ? null : (
          <div className="flex items-center gap-1 text-sm text-soft">
            <IconButton label="Previous attachment" onClick={() => go(-1)}>
              <ChevronLeft />
            </IconButton>
            <span aria-live="polite">
              {at + 1} of {paths.length}
            </span>
            <IconButton label="Next attachment" onClick={() => go(1)}>
              <ChevronRight />
            </IconButton>
          </div>
        )
      }
    />
  );
}
