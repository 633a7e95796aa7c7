/** Says that a device does not wait for a decision of the member anymore, while a form for the decision is open. */
import { usePendingEnrollments } from '../../data/queries.ts';
import { useMay } from '../../data/self.tsx';
import { Meanwhile, withdrawn } from '../../ui/meanwhile.tsx';

const decided = 'This device does not wait anymore: another manager has decided, or its code has expired.';

interface DecidedElsewhereProps {
  userCode: string;
  /** The form itself has decided. */
  isOwn: boolean;
}

export function DecidedElsewhere({ userCode, isOwn }: DecidedElsewhereProps) {
  const { data } = usePendingEnrollments();
  const may = useMay('approveEnrollment');
  const isWaiting = data === undefined || data.enrollments.some((one) => one.userCode === userCode);
  const sentence = may ? decided : withdrawn;
  return <Meanwhile sentences={isOwn || (may && isWaiting) ? [] : [sentence]} />;
}
