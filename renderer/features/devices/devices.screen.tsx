/** Devices: codes that wait on top, decided ones below, and how to add one. */
import { useQuery } from '@tanstack/react-query';
import { useSearch } from '@tanstack/react-router';
import { MonitorSmartphone } from 'lucide-react';
import { useState } from 'react';
import type { PendingEnrollment } from '#protocol/enrollment.ts';
import { useBroker } from '../../data/broker.tsx';
import { keys } from '../../data/keys.ts';
import { useMay, usePendingEnrollments } from '../../data/queries.ts';
import { Badge, type Tone } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyLine } from '../../ui/copy-button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { EmptyState, ErrorState, ListSkeleton } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { ApproveForm } from './approve-form.tsx';
import { Countdown } from './countdown.tsx';
import { RejectForm } from './reject-form.tsx';

function Pending({
  enrollment,
  isSought,
  onApprove,
  onReject,
}: {
  enrollment: PendingEnrollment;
  isSought: boolean;
  onApprove: () => void;
  onReject: () => void;
}) {
  const { userCode, labelHint, sourceIp, userAgent, createdAt, expiresAt } = enrollment;
  return (
    <li className={isSought ? 'bg-selected' : undefined}>
      <div className="flex flex-wrap items-center gap-4 px-4 py-3">
        <code className="font-mono text-2xl font-semibold tracking-wider">{userCode}</code>
        <div className="min-w-48 flex-1">
          <p className="font-medium">{labelHint ?? 'A device without a name'}</p>
          <p className="text-sm break-words text-soft">
            from {sourceIp ?? 'an unknown address'} · {userAgent ?? 'unknown program'} · asked{' '}
            <Time at={createdAt} />
          </p>
        </div>
        <Countdown until={expiresAt} />
        <div className="flex gap-2">
          <Button look="primary" onClick={onApprove}>
            Approve…
          </Button>
          <Button look="danger" onClick={onReject}>
            Reject…
          </Button>
        </div>
      </div>
    </li>
  );
}

const toneOf: Record<string, Tone> = { approved: 'positive', rejected: 'critical', expired: 'neutral' };

function Decided() {
  const { client } = useBroker();
  const { data, error } = useQuery({
    queryKey: keys.enrollmentHistory,
    queryFn: () => client.call('enrollmentHistory', {}),
  });
  if (error !== null) return <ErrorState error={error} />;
  if (data === undefined) return <ListSkeleton rows={3} />;
  if (data.enrollments.length === 0)
    return <p className="px-4 py-4 text-soft">Nothing was decided in the last 30 days.</p>;
  return (
    <ul>
      {data.enrollments.map((one) => (
        <li
          key={`${one.userCode}-${one.createdAt}`}
          className="flex flex-wrap items-center gap-3 border-b border-line px-4 py-2 last:border-0"
        >
          <code className="font-mono text-soft">{one.userCode}</code>
          <span className="min-w-40 flex-1">
            {one.labelHint ?? 'a device'}
            {one.memberName === null ? '' : ` as ${one.memberName}`}
            {one.reason === null ? '' : `: ${one.reason}`}
          </span>
          <Badge tone={toneOf[one.outcome] ?? 'neutral'}>{one.outcome}</Badge>
          <span className="text-sm text-faint">
            {one.decidedBy === null ? '' : `${one.decidedBy}, `}
            <Time at={one.decidedAt} />
          </span>
        </li>
      ))}
    </ul>
  );
}

export function DevicesScreen() {
  const { origin } = useBroker().transport;
  const { code } = useSearch({ from: '/app/devices' });
  const isManager = useMay('members.manage');
  const { data, error, refetch } = usePendingEnrollments(isManager);
  const [approving, setApproving] = useState<PendingEnrollment | null>(null);
  const [rejecting, setRejecting] = useState<string | null>(null);
  if (!isManager)
    return (
      <Page title="Devices">
        <EmptyState icon={<MonitorSmartphone />} title="Devices are for managers">
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
            {pending.length} devices wait
          </div>
          {data !== undefined && pending.length === 0 ? (
            <EmptyState icon={<MonitorSmartphone />} title="No device is waiting">
              A code that somebody reads to you appears here by itself.
            </EmptyState>
          ) : (
            <ul className="divide-y divide-line">
              {pending.map((enrollment) => (
                <Pending
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
          <div className="flex flex-col gap-2 p-4">
            <p className="text-soft">On that device, in a checkout of Muster:</p>
            <CopyLine label="Join command" text={`npx svc connect --url ${origin}`} />
            <p className="text-sm text-soft">
              It shows a code. Compare the code with the one here before you approve: whoever has the code
              gets in.
            </p>
          </div>
        </Section>
        <Section title="Decided in the last 30 days">
          <Decided />
        </Section>
      </div>
      <Dialog
        isOpen={approving !== null}
        onClose={() => setApproving(null)}
        title={`Approve ${approving?.userCode ?? ''}`}
        description={approving?.labelHint ?? 'A device without a name'}
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
        description="The device is told, with your reason."
      >
        {rejecting === null ? null : <RejectForm userCode={rejecting} onClose={() => setRejecting(null)} />}
      </Dialog>
    </Page>
  );
}
