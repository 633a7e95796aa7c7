/**
 * Approves a device for an existing member or for a new one. The button becomes active after a moment, so
 * that nothing is approved by accident.
 */
import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useEffect, useId, useState } from 'react';
import type { PendingEnrollment } from '#protocol/enrollment.ts';
import { useBroker } from '../../data/broker.tsx';
import { keys } from '../../data/keys.ts';
import { useMutation } from '../../data/use-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { FormActions } from '../../ui/dialog.tsx';
import { Field, FieldForm, TextInput } from '../../ui/field.tsx';
import { FormError } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.ts';
import { Countdown } from './countdown.tsx';
import { DecidedElsewhere } from './decided-elsewhere.tsx';
import { approvedMember, type ChosenMember, MemberChoice } from './member-choice.tsx';

const armMs = 700;

interface ApproveFormProps {
  enrollment: PendingEnrollment;
  /** Shown next to the Approve button. */
  beside: ReactNode;
  /** Another form is shown in its place. */
  isAside: boolean;
  /** False where the heading has the code and the time that is left. */
  hasCode?: boolean;
  /** Called before `onClose`, when the device was approved. */
  onDecided?: () => void;
  onClose: () => void;
}

function AskingDevice({ enrollment, hasCode }: { enrollment: PendingEnrollment; hasCode: boolean }) {
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1 rounded-md bg-sunken p-3 text-sm low:gap-y-0 low:px-3 low:py-1">
      {hasCode ? (
        <>
          <dt className="text-soft">Code</dt>
          <dd className="font-mono text-2xl font-semibold whitespace-nowrap">{enrollment.userCode}</dd>
          <dt className="text-soft">Time</dt>
          <dd>
            <Countdown until={enrollment.expiresAt} />
          </dd>
        </>
      ) : null}
      <dt className="text-soft">Address</dt>
      <dd>{enrollment.sourceIp ?? 'unknown'}</dd>
      <dt className="text-soft">Program</dt>
      <dd className="low:truncate" title={enrollment.userAgent ?? undefined}>
        {enrollment.userAgent ?? 'unknown'}
      </dd>
    </dl>
  );
}

/** Returns what has to be entered before the device can be approved; undefined if nothing is missing. */
function missingIn({ mode, name, title }: ChosenMember): string | undefined {
  if (mode === 'bind') return name === '' ? 'Choose a member first.' : undefined;
  return name === '' || title === '' ? 'Enter a name and a role first.' : undefined;
}

export function ApproveForm(props: ApproveFormProps) {
  const { enrollment, beside, isAside, hasCode = true, onDecided, onClose } = props;
  const { client } = useBroker();
  const cache = useQueryClient();
  const [member, setMember] = useState<ChosenMember>({ mode: 'bind', name: '', title: '', permissions: [] });
  const [label, setLabel] = useState(enrollment.labelHint ?? '');
  const [isArmed, setArmed] = useState(false);
  useEffect(() => {
    setArmed(false);
    if (isAside) return;
    const timer = setTimeout(() => setArmed(true), armMs);
    return () => clearTimeout(timer);
  }, [isAside]);
  const { userCode } = enrollment;
  const missing = missingIn(member);
  const hintId = useId();
  const approve = useMutation({
    mutationFn: () =>
      client.call('approveEnrollment', {
        body: { userCode, ...approvedMember(member), ...(label !== '' && { label }) },
      }),
    onSuccess: async () => {
      toast(`${userCode} was approved as ${member.name}`, 'The device fetches its token by itself.');
      onDecided?.();
      onClose();
      for (const queryKey of [keys.enrollments, keys.enrollmentHistory, keys.members, keys.roster])
        await cache.invalidateQueries({ queryKey });
    },
  });
  return (
    <FieldForm
      className="flex flex-col gap-4 low:gap-1.5"
      onSubmit={() => {
        if (isArmed) approve.mutate();
      }}
    >
      <p className="text-sm text-soft">
        Approve only if the device shows the same code, because whoever has the code becomes the member that
        you choose.
      </p>
      <AskingDevice enrollment={enrollment} hasCode={hasCode} />
      <MemberChoice member={member} onMember={setMember} />
      <Field label="Device label">
        <TextInput value={label} onChange={(event) => setLabel(event.target.value)} maxLength={64} />
      </Field>
      <DecidedElsewhere userCode={userCode} isOwn={approve.isSuccess} />
      <FormError error={approve.error} />
      <FormActions>
        <span id={hintId} className="mr-auto self-center text-sm text-soft max-sm:w-full low:hidden">
          {missing}
        </span>
        {beside}
        <Button
          type="submit"
          look="primary"
          aria-describedby={missing && hintId}
          disabled={!isArmed}
          isBusy={approve.isPending}
        >
          Approve device
        </Button>
      </FormActions>
    </FieldForm>
  );
}
