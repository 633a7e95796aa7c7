/** Reassigns an objective to another member. */
import { useState } from 'react';
import { limits } from '#protocol/limits.ts';
import type { Objective } from '#protocol/objective.ts';
import { useBroker } from '../../data/broker.tsx';
import { useRoster } from '../../data/queries.ts';
import { useMutation } from '../../data/use-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { FormActions } from '../../ui/dialog.tsx';
import { Field, FieldForm, TextArea } from '../../ui/field.tsx';
import { Meanwhile } from '../../ui/meanwhile.tsx';
import { useMemberOptions } from '../../ui/member-options.tsx';
import { Select } from '../../ui/select.tsx';
import { FormError } from '../../ui/states.tsx';
import { useRefreshObjective } from './refresh-objective.ts';

interface ReassignProps {
  objective: Objective;
  /** Sentences about events since the form was opened. */
  news: readonly string[];
  onClose: () => void;
}

export function ReassignForm({ objective, news, onClose }: ReassignProps) {
  const { client } = useBroker();
  const { data: roster } = useRoster();
  const options = useMemberOptions(
    (roster?.teammates ?? []).filter(({ name }) => name !== objective.assignee),
  );
  const refresh = useRefreshObjective();
  const [to, setTo] = useState('');
  const [note, setNote] = useState('');
  const reassign = useMutation({
    mutationFn: () =>
      client.call('reassignObjective', { params: { id: objective.id }, body: { to, note: note || null } }),
    onSuccess: (moved) => {
      refresh(moved);
      onClose();
    },
  });
  return (
    <FieldForm onSubmit={() => reassign.mutate()}>
      <Field label="New assignee">
        <Select value={to} options={options} onChoose={setTo} placeholder="Choose a member" />
      </Field>
      <Field label="Note" hint="Anything that the new assignee should know.">
        <TextArea
          value={note}
          onChange={(event) => setNote(event.target.value)}
          maxLength={limits.objective.reason}
        />
      </Field>
      <Meanwhile sentences={news} />
      <FormError error={reassign.error} />
      <FormActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" isBusy={reassign.isPending}>
          Reassign
        </Button>
      </FormActions>
    </FieldForm>
  );
}
