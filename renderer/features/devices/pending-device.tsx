/** One device that waits for approval. */
import type { PendingEnrollment } from '#protocol/enrollment.ts';
import { Button } from '../../ui/button.tsx';
import { Time } from '../../ui/time.tsx';
import { Countdown } from './countdown.tsx';

export function PendingDevice({
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
    <li data-device={userCode} className={isSought ? 'bg-selected' : undefined}>
      <div className="flex flex-wrap items-center gap-4 px-4 py-3">
        <code className="font-mono text-2xl font-semibold tracking-wider whitespace-nowrap">{userCode}</code>
        <div className="min-w-48 flex-1">
          <p className="font-medium">{labelHint ?? 'Unnamed device'}</p>
          <p className="text-sm text-soft">
            from {sourceIp ?? 'an unknown address'} · {userAgent ?? 'unknown program'} · asked{' '}
            <Time at={createdAt} />
          </p>
        </div>
        <Countdown until={expiresAt} />
        <div className="flex gap-2">
          <Button look="primary" autoFocus={isSought} onClick={onApprove}>
            Approve…
          </Button>
          <Button onClick={onReject}>Reject…</Button>
        </div>
      </div>
    </li>
  );
}
