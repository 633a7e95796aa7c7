/**
 * The page of the approval window (desktop): one code at a time. The heading has the focus when the window
 * opens, so that no key press approves.
 */
import { useSearch } from '@tanstack/react-router';
import { MonitorSmartphone } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { PendingEnrollment } from '#protocol/enrollment.ts';
import { usePendingEnrollments } from '../../data/queries.ts';
import { useMay } from '../../data/self.tsx';
import { FormWindow } from '../../ui/dialog.tsx';
import { EmptyState, ErrorState, ListSkeleton } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { Countdown } from './countdown.tsx';
import { DecideForm } from './decide-form.tsx';
import { useKeptDevice } from './use-kept-device.ts';

interface AskingProps {
  enrollment: PendingEnrollment;
  place: string;
  onDecided: () => void;
}

function Asking({ enrollment, place, onDecided }: AskingProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), []);
  return (
    <section
      role="alertdialog"
      aria-labelledby="asking"
      className="mx-auto flex max-w-xl flex-col gap-3 p-4 low:gap-1.5 low:pt-2"
    >
      <header className="flex flex-wrap items-end justify-between gap-x-4 gap-y-1">
        <h1
          id="asking"
          ref={heading}
          tabIndex={-1}
          className="font-mono text-3xl font-semibold tracking-widest whitespace-nowrap outline-none low:text-xl"
        >
          {enrollment.userCode}
        </h1>
        <Countdown until={enrollment.expiresAt} />
        <p className="w-full text-sm text-soft">
          <span className="font-medium text-text">{enrollment.labelHint ?? 'An unnamed device'}</span> asks to
          join the team · <Time at={enrollment.createdAt} /> · {place}
        </p>
      </header>
      <FormWindow>
        <DecideForm enrollment={enrollment} hasCode={false} onClose={onDecided} />
      </FormWindow>
    </section>
  );
}

export function ApprovalScreen() {
  const { code } = useSearch({ from: '/app/approve' });
  const mayApprove = useMay('approveEnrollment');
  const { data, error, refetch } = usePendingEnrollments();
  const pending = data?.enrollments ?? [];
  const at = pending.findIndex(({ userCode }) => userCode === code);
  const { enrollment, forget, watch } = useKeptDevice(pending[at]);
  return (
    <main tabIndex={-1} className="h-full overflow-y-auto outline-none" {...watch}>
      {error !== null && data === undefined ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : null}
      {mayApprove && data === undefined && error === null ? <ListSkeleton rows={4} /> : null}
      {enrollment !== undefined ? (
        <Asking
          key={enrollment.userCode}
          enrollment={enrollment}
          place={at < 0 ? 'no longer waiting' : `device ${pending.length - at} of ${pending.length}`}
          onDecided={forget}
        />
      ) : null}
      {enrollment === undefined && (!mayApprove || data !== undefined) ? (
        <EmptyState icon={<MonitorSmartphone />} title="No decision needed" isPage>
          This code was already decided or has expired, or only a manager can decide it.
        </EmptyState>
      ) : null}
    </main>
  );
}
