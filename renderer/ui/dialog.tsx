/**
 * Layers over the page. `Esc` closes one and returns the focus, but discards nothing that was typed and no secret
 * that is shown once.
 */
import { AlertDialog } from '@base-ui/react/alert-dialog';
import { Dialog as Base } from '@base-ui/react/dialog';
import { X } from 'lucide-react';
import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from 'react';
import { Button, IconButton } from './button.tsx';
import { cx } from './class-names.ts';
import { submitByKeys } from './field.tsx';
import { useFinalFocus } from './final-focus.ts';
import { useLeaving } from './leaving.ts';
import { Meanwhile } from './meanwhile.tsx';
import { FormError } from './states.tsx';
import { useTyped } from './typed.ts';

const backdrop = 'fixed inset-0 z-40 bg-(--overlay)';
const popup =
  'fixed top-[12vh] left-1/2 z-40 flex max-h-[76vh] w-[calc(100vw-2rem)] max-sm:top-4 max-sm:max-h-[calc(100dvh-2rem)] -translate-x-1/2 flex-col rounded-lg border border-line bg-raised shadow-(--shadow) outline-none';

/** The frame around the buttons of a form, if its content can scroll. */
const Frame = createContext<'dialog' | 'window' | null>(null);
/** For a window that contains only a form. */
export const FormWindow = ({ children }: { children: ReactNode }) => (
  <Frame.Provider value="window">{children}</Frame.Provider>
);

const actionsByFrame = {
  // The content has a padding, from which the edge is measured.
  dialog: 'sticky -bottom-4 z-10 -mx-5 -mb-4 rounded-b-lg border-t border-line bg-raised px-5 py-3',
  window: 'sticky bottom-0 z-10 -mx-4 -mb-4 border-t border-line bg-surface px-4 py-3 low:py-2',
};

/** The buttons at the end of a form. In a dialog, they stay in sight while the content scrolls. */
export function FormActions({ children }: { children: ReactNode }) {
  const frame = useContext(Frame);
  return (
    <div
      className={cx('flex flex-wrap justify-end gap-2', frame === null ? undefined : actionsByFrame[frame])}
    >
      {children}
    </div>
  );
}

export interface DialogProps {
  isOpen: boolean;
  onClose: () => void;
  title: string;
  description?: string | undefined;
  wide?: boolean;
  /** Clicking outside does not close the dialog. */
  isHeld?: boolean;
  /** The dialog shows what cannot be shown again, so only its own buttons close it. */
  isSecret?: boolean;
  /** Returns where the focus goes when the dialog closes, if not to where it was before. */
  focusAfter?: () => HTMLElement | null;
  children: ReactNode;
}

/**
 * The first input gets the focus, or the layer itself if there is none. With touch, the layer gets it, so
 * that no on-screen keyboard opens unasked.
 */
const firstControl = ':is(input, textarea):not([readonly], [type=radio], [type=checkbox]), [role=combobox]';

export function Dialog(props: DialogProps) {
  const {
    isOpen,
    onClose,
    title,
    description,
    wide = false,
    isHeld = false,
    isSecret = false,
    focusAfter,
    children,
  } = props;
  const layer = useRef<HTMLDivElement>(null);
  const typed = useTyped();
  const { remember, finalFocus } = useFinalFocus(focusAfter);
  const [isAsking, setAsking] = useState(false);
  const isKept = () => isOpen && (isSecret || typed.isChanged());
  // Only going back or forward: what else leaves the page from a dialog was chosen in it.
  const leaving = useLeaving(({ isInHistory }) => isInHistory && isKept());
  return (
    <Base.Root
      open={isOpen}
      onOpenChange={(open, { reason }) => {
        if (open || (isSecret && reason === 'escape-key')) return;
        if (!isSecret && typed.isChanged()) setAsking(true);
        else onClose();
      }}
      disablePointerDismissal={isHeld || isSecret}
    >
      <Base.Portal>
        <Base.Backdrop className={backdrop} />
        <Base.Popup
          ref={layer}
          initialFocus={(how) => {
            remember();
            const first = how === 'touch' ? null : layer.current?.querySelector<HTMLElement>(firstControl);
            return first ?? layer.current;
          }}
          finalFocus={finalFocus}
          onKeyDown={submitByKeys}
          className={cx(popup, wide ? 'max-w-3xl' : 'max-w-lg')}
          {...typed.watch}
        >
          <header
            className={cx(
              'flex justify-between gap-4 border-b border-line px-5 py-2.5',
              description === undefined ? 'items-center' : 'items-start',
            )}
          >
            <div className="min-w-0 wrap-anywhere">
              <Base.Title className="text-lg font-semibold">{title}</Base.Title>
              {description === undefined ? null : (
                <Base.Description className="mt-0.5 text-sm text-soft">{description}</Base.Description>
              )}
            </div>
            <Base.Close
              render={
                <IconButton label="Close" className="-mr-2">
                  <X />
                </IconButton>
              }
            />
          </header>
          <div className="overflow-y-auto px-5 py-4">
            <Frame.Provider value="dialog">{children}</Frame.Provider>
          </div>
          <Confirm
            isOpen={isAsking || leaving.isAsked}
            onClose={() => {
              setAsking(false);
              leaving.stay();
            }}
            {...(isSecret ? secretWords : typedWords)}
            onConfirm={() => {
              setAsking(false);
              if (leaving.isAsked) leaving.leave();
              else onClose();
            }}
          />
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

export const typedWords = {
  title: 'Discard what you typed?',
  consequence: 'It has not been saved.',
  act: 'Discard',
  keep: 'Keep editing',
};
const secretWords = {
  title: 'Leave without this secret?',
  consequence: 'It is shown only once.',
  act: 'Leave',
  keep: 'Stay',
};

export interface ConfirmProps {
  isOpen: boolean;
  onClose: () => void;
  title: string;
  /** The consequence of the action, and that it cannot be undone if that is so. */
  consequence: ReactNode;
  /** Names the action, for example `Delete ben`. */
  act: string;
  /** Names the button that changes nothing. */
  keep?: string;
  /** The change that is asked about. The dialog shows its error until it closes. */
  change?: { isPending: boolean; error: Error | null; reset: () => void };
  /** By default, while the change is pending. */
  isBusy?: boolean;
  /** A sentence about a change by somebody else to the subject of the question, or to the member, since it was asked. */
  news?: string | undefined;
  onConfirm: () => void;
  /** Returns where the focus goes when the dialog closes, if not to where it was before. */
  focusAfter?: () => HTMLElement | null;
}

/** An alert dialog for an action that cannot be undone; the safe button has the focus. */
export function Confirm({
  isOpen,
  onClose,
  title,
  consequence,
  act,
  keep = 'Cancel',
  change,
  isBusy = change?.isPending ?? false,
  news,
  onConfirm,
  focusAfter,
}: ConfirmProps) {
  const { remember, finalFocus } = useFinalFocus(focusAfter);
  // A second press can come before the page shows that the first one is busy.
  const wasPressed = useRef(false);
  useEffect(() => {
    wasPressed.current = false;
  });
  function confirmOnce(): void {
    if (!isOpen || wasPressed.current) return;
    wasPressed.current = true;
    onConfirm();
  }
  function close(): void {
    onClose();
    if (change?.error != null) change.reset();
  }
  return (
    <AlertDialog.Root open={isOpen} onOpenChange={(open) => !open && close()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className={backdrop} />
        <AlertDialog.Popup
          initialFocus={() => {
            remember();
            return true;
          }}
          finalFocus={finalFocus}
          className={cx(popup, 'max-w-md')}
        >
          <div className="px-5 py-4 wrap-anywhere">
            <AlertDialog.Title className="text-lg font-semibold">{title}</AlertDialog.Title>
            <AlertDialog.Description render={<div />} className="mt-1 text-soft">
              {consequence}
            </AlertDialog.Description>
            <div className="[&_p]:mt-3">
              <FormError error={change?.error ?? null} />
              <Meanwhile sentences={news === undefined ? [] : [news]} />
            </div>
          </div>
          <footer className="flex justify-end gap-2 border-t border-line px-5 py-3">
            <AlertDialog.Close render={<Button>{keep}</Button>} />
            <Button look="danger" isBusy={isBusy} onClick={confirmOnce}>
              {act}
            </Button>
          </footer>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
