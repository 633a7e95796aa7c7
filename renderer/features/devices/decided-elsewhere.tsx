/** Says that a device does not wait for a decision anymore, while a form for the decision is open. */
import { usePendingEnrollments } from '../../data/queries.ts';

interface DecidedElsewhereProps {
  userCode: string;
  /** The form itself is deciding, or has decided. */
  isOwn: boolean;
}

export function DecidedElsewhere({ userCode, isOwn }: DecidedElsewhereProps) {
  const { data } = usePendingEnrollments();
  const isWaiting = data === undefined || data.enrollments.some((one) => one.userCode === userCode);
  return (
    <div role="status">
      {isOwn || isWaiting ? null : (
        <p className="rounded-md bg-caution-soft px-3 py-2 text-caution">
          This device does not wait anymore: another operator has decided, or its code has expired.
        </p>
      )}
    </div>
  );
}
