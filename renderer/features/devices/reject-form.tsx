/** Rejects a device, with a reason that the device receives. */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useBroker } from '../../data/broker.tsx';
import { keys } from '../../data/keys.ts';
import { useMutation } from '../../data/use-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { FormActions } from '../../ui/dialog.tsx';
import { Field, FieldForm, TextInput } from '../../ui/field.tsx';
import { FormError } from '../../ui/states.tsx';
import { DecidedElsewhere } from './decided-elsewhere.tsx';

export interface RejectFormProps {
  userCode: string;
  /** Called before `onClose`, when the device was rejected. */
  onDecided?: () => void;
  onClose: () => void;
}

export function RejectForm({ userCode, onDecided, onClose }: RejectFormProps) {
  const { client } = useBroker();
  const cache = useQueryClient();
  const [reason, setReason] = useState('');
  const reject = useMutation({
    mutationFn: () => client.call('rejectEnrollment', { body: { userCode, reason: reason || null } }),
    onSuccess: async () => {
      onDecided?.();
      onClose();
      for (const queryKey of [keys.enrollments, keys.enrollmentHistory])
        await cache.invalidateQueries({ queryKey });
    },
  });
  return (
    <FieldForm onSubmit={() => reject.mutate()}>
      <Field label="Reason (optional)" hint="The device shows it.">
        <TextInput value={reason} onChange={(event) => setReason(event.target.value)} />
      </Field>
      <DecidedElsewhere userCode={userCode} isOwn={reject.isSuccess} />
      <FormError error={reject.error} />
      <FormActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="danger" isBusy={reject.isPending}>
          Reject device
        </Button>
      </FormActions>
    </FieldForm>
  );
}
