/** The devices that wait for a decision. */
import { useNavigate, useSearch } from '@tanstack/react-router';
import { MonitorSmartphone } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import type { PendingEnrollment } from '#protocol/enrollment.ts';
import { usePendingEnrollments } from '../../data/queries.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { neighborOf } from '../../ui/neighbor.rules.ts';
import { Section } from '../../ui/page.tsx';
import { EmptyState, NotLoaded } from '../../ui/states.tsx';
import { DecideForm } from './decide-form.tsx';
import { PendingDevice } from './pending-device.tsx';
import { RejectForm } from './reject-form.tsx';

const nameOf = (device: PendingEnrollment | null): string => device?.labelHint ?? 'Unnamed device';

/** The address names the device that is sought, or the one to approve. A member who may not decide anymore keeps an open form. */
export function WaitingDevices({ mayDecide }: { mayDecide: boolean }) {
  const { code, approve } = useSearch({ from: '/app/admin/machines' });
  const navigate = useNavigate({ from: '/app/admin/machines' });
  const { data, error, refetch } = usePendingEnrollments();
  const [approving, setApproving] = useState<PendingEnrollment | null>(null);
  /** Within the dialog that approves. */
  const [isRejecting, setIsRejecting] = useState(false);
  const [rejecting, setRejecting] = useState<PendingEnrollment | null>(null);
  const region = useRef<HTMLDivElement>(null);
  /** The device that leaves the list; null if the dialog decided nothing. */
  const decided = useRef<string | null>(null);
  const decide = (userCode: string) => ({
    onDecided() {
      decided.current = userCode;
    },
  });
  function closeDecision(): void {
    setApproving(null);
    setIsRejecting(false);
  }
  function focusAfter(): HTMLElement | null {
    const leaving = decided.current;
    decided.current = null;
    if (leaving === null) return null;
    const rows = [...(region.current?.querySelectorAll<HTMLElement>('[data-device]') ?? [])];
    const neighbor = neighborOf(rows, (row) => row.dataset.device === leaving);
    return neighbor?.querySelector<HTMLElement>('button') ?? region.current;
  }
  const pending = data?.enrollments ?? [];
  const asked = pending.find(({ userCode }) => userCode === approve);
  // The address asks once; a reload opens nothing.
  useEffect(() => {
    if (asked === undefined) return;
    setApproving(asked);
    void navigate({ search: { code: asked.userCode }, replace: true });
  }, [asked, navigate]);
  return (
    <>
      {mayDecide ? (
        <Section title="Waiting for you">
          {data === undefined ? <NotLoaded error={error} onRetry={refetch} rows={2} /> : null}
          <div role="status" className="sr-only">
            Devices waiting: {pending.length}
          </div>
          {/* biome-ignore lint/a11y/useSemanticElements: it takes the focus of the last device */}
          <div ref={region} tabIndex={-1} role="group" aria-label="Waiting for you" className="outline-none">
            {data !== undefined && pending.length === 0 ? (
              <EmptyState icon={<MonitorSmartphone />} title="No device is waiting">
                When a device asks to join, its code appears here.
              </EmptyState>
            ) : (
              <ul className="divide-y divide-line">
                {pending.map((enrollment) => (
                  <PendingDevice
                    key={enrollment.userCode}
                    enrollment={enrollment}
                    isSought={
                      enrollment.userCode.replace('-', '') === code?.toUpperCase().replaceAll(/[^A-Z]/g, '')
                    }
                    onApprove={() => setApproving(enrollment)}
                    onReject={() => setRejecting(enrollment)}
                  />
                ))}
              </ul>
            )}
          </div>
        </Section>
      ) : null}
      <Dialog
        isOpen={approving !== null}
        onClose={closeDecision}
        title={`${isRejecting ? 'Reject' : 'Approve'} ${approving?.userCode ?? ''}`}
        description={nameOf(approving)}
        wide
        focusAfter={focusAfter}
      >
        {approving === null ? null : (
          <DecideForm
            enrollment={approving}
            {...decide(approving.userCode)}
            onRejecting={setIsRejecting}
            onClose={closeDecision}
          />
        )}
      </Dialog>
      <Dialog
        isOpen={rejecting !== null}
        onClose={() => setRejecting(null)}
        title={`Reject ${rejecting?.userCode ?? ''}`}
        description={nameOf(rejecting)}
        focusAfter={focusAfter}
      >
        {rejecting === null ? null : (
          <RejectForm
            userCode={rejecting.userCode}
            {...decide(rejecting.userCode)}
            onClose={() => setRejecting(null)}
          />
        )}
      </Dialog>
    </>
  );
}
