/** A dialog that asks for the text of an action. */
import { useState } from 'react';
import type { Objective } from '#protocol/objective.ts';
import { useMutation } from '../../data/use-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, FormActions } from '../../ui/dialog.tsx';
import { Field, FieldForm, TextArea } from '../../ui/field.tsx';
import { Meanwhile } from '../../ui/meanwhile.tsx';
import { FormError } from '../../ui/states.tsx';
import { useRefreshObjective } from './refresh-objective.ts';

interface ReasonProps {
  title: string;
  description: string;
  label: string;
  act: string;
  isRequired: boolean;
  isDanger?: boolean;
  maxLength: number;
  /** Sentences about events since the dialog was opened. */
  news: readonly string[];
  run: (text: string) => Promise<Objective>;
  onClose: () => void;
  focusAfter?: () => HTMLElement | null;
}

function ReasonForm({
  label,
  act,
  isRequired,
  isDanger = false,
  maxLength,
  news,
  run,
  onClose,
}: ReasonProps) {
  const [text, setText] = useState('');
  const refresh = useRefreshObjective();
  const submit = useMutation({
    mutationFn: () => run(text),
    onSuccess: (objective) => {
      refresh(objective);
      onClose();
    },
  });
  return (
    <FieldForm onSubmit={() => submit.mutate()}>
      <Field label={label}>
        <TextArea
          value={text}
          onChange={(event) => setText(event.target.value)}
          required={isRequired}
          maxLength={maxLength}
        />
      </Field>
      <Meanwhile sentences={news} />
      <FormError error={submit.error} />
      <FormActions>
        <Button onClick={onClose}>Go back</Button>
        <Button type="submit" look={isDanger ? 'danger' : 'primary'} isBusy={submit.isPending}>
          {act}
        </Button>
      </FormActions>
    </FieldForm>
  );
}

export function ReasonDialog(props: ReasonProps & { isOpen: boolean }) {
  return (
    <Dialog
      isOpen={props.isOpen}
      onClose={props.onClose}
      title={props.title}
      description={props.description}
      {...(props.focusAfter && { focusAfter: props.focusAfter })}
    >
      <ReasonForm {...props} />
    </Dialog>
  );
}
