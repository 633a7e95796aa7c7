/** Devices: waiting codes on top, decided ones below, and how to add one. */
import { useSearch } from '@tanstack/react-router';
import { MonitorSmartphone } from 'lucide-react';
import { useState } from 'react';
import type { PendingEnrollment } from '#protocol/enrollment.ts';
import { usePendingEnrollments } from '../../data/queries.ts';
import { useMay } from '../../data/self.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { EmptyState, ErrorState, ListSkeleton } from '../../ui/states.tsx';
import { ApproveForm } from './approve-form.tsx';
import { DecidedDevices } from './decided-devices.tsx';
import { JoinPanel } from './join-panel.tsx';
import { PendingDevice } from './pending-device.tsx';
import { RejectForm } from './reject-form.tsx';

export function DevicesScreen() {
  const { code } = useSearch({ from: '/app/devices' });
  const mayApprove = useMay('approveEnrollment');
  const { data, error, refetch } = usePendingEnrollments();
  const [approving, setApproving] = useState<PendingEnrollment | null>(null);
  const [rejecting, setRejecting] = useState<string | null>(null);
  if (!mayApprove)
    return (
      <Page title="Devices">
        <EmptyState icon={<MonitorSmartphone />} title="Only operators manage devices">
          Members with members.manage decide which devices join.
        </EmptyState>
      </Page>
    );
  const pending = data?.enrollments ?? [];
  return (
    <Page title="Devices">
      <div className="mx-auto flex max-w-4xl flex-col gap-4 p-4">
        <Section title="Waiting for you">
          {error !== null && data === undefined ? (
            <ErrorState error={error} onRetry={() => void refetch()} />
          ) : null}
          {data === undefined && error === null ? <ListSkeleton rows={2} /> : null}
          <div role="status" className="sr-only">
            Devices waiting: {pending.length}
          </div>
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
                  onReject={() => setRejecting(enrollment.userCode)}
                />
              ))}
            </ul>
          )}
        </Section>
        <Section title="Add a device">
          <div className="p-4">
            <JoinPanel />
          </div>
        </Section>
        <Section title="Decided in the last 30 days">
          <DecidedDevices />
        </Section>
      </div>
      <Dialog
        isOpen={approving !== null}
        onClose={() => setApproving(null)}
        title={`Approve ${approving?.userCode ?? ''}`}
        description={approving?.labelHint ?? 'Unnamed device'}
        wide
      >
        {approving === null ? null : (
          <ApproveForm enrollment={approving} onClose={() => setApproving(null)} />
        )}
      </Dialog>
      <Dialog
        isOpen={rejecting !== null}
        onClose={() => setRejecting(null)}
        title={`Reject ${rejecting ?? ''}`}
        description="The device shows your reason."
      >
        {rejecting === null ? null : <RejectForm userCode={rejecting} onClose={() => setRejecting(null)} />}
      </Dialog>
    </Page>
  );
}
