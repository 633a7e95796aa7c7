/** Approves or rejects a device. The form for the approval keeps its content during a rejection that is canceled. */
import { type ComponentProps, useLayoutEffect, useRef, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { ApproveForm } from './approve-form.tsx';
import { RejectForm } from './reject-form.tsx';

interface DecideFormProps
  extends Pick<ComponentProps<typeof ApproveForm>, 'enrollment' | 'hasCode' | 'onDecided' | 'onClose'> {
  /** Of a dialog, which has a Cancel button and is named for what is shown. */
  onRejecting?: (isRejecting: boolean) => void;
}

export function DecideForm({ onClose, onRejecting, ...rest }: DecideFormProps) {
  const [isRejecting, setIsRejecting] = useState(false);
  function setRejecting(next: boolean): void {
    setIsRejecting(next);
    onRejecting?.(next);
  }
  const reason = useRef<HTMLDivElement>(null);
  const approval = useRef<HTMLDivElement>(null);
  const wasRejecting = useRef(false);
  // The button that had the focus is hidden or gone.
  useLayoutEffect(() => {
    if (isRejecting) reason.current?.querySelector('input')?.focus();
    else if (wasRejecting.current) approval.current?.querySelector<HTMLElement>('[data-reject]')?.focus();
    wasRejecting.current = isRejecting;
  }, [isRejecting]);
  return (
    <>
      <div ref={approval} hidden={isRejecting}>
        <ApproveForm
          {...rest}
          isAside={isRejecting}
          onClose={onClose}
          beside={
            <>
              <Button data-reject onClick={() => setRejecting(true)}>
                Reject…
              </Button>
              {onRejecting === undefined ? null : <Button onClick={onClose}>Cancel</Button>}
            </>
          }
        />
      </div>
      {isRejecting ? (
        <div ref={reason}>
          <RejectForm
            userCode={rest.enrollment.userCode}
            onDecided={() => {
              rest.onDecided?.();
              onClose();
            }}
            onClose={() => setRejecting(false)}
          />
        </div>
      ) : null}
    </>
  );
}
