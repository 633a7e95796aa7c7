/** The form for a new objective: who is to achieve which outcome. */
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { limits } from '#protocol/limits.ts';
import { useBroker } from '../../data/broker.tsx';
import { useIdempotencyKey } from '../../data/idempotency-key.ts';
import { useRoster } from '../../data/queries.ts';
import { useMay, useSelf } from '../../data/self.tsx';
import { useMutation } from '../../data/use-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, FormActions } from '../../ui/dialog.tsx';
import { Field, FieldForm, TextArea, TextInput } from '../../ui/field.tsx';
import { Meanwhile, useStaysOpen, withdrawn } from '../../ui/meanwhile.tsx';
import { useMemberOptions } from '../../ui/member-options.tsx';
import { Select } from '../../ui/select.tsx';
import { FormError } from '../../ui/states.tsx';
import { MemberPicker } from '../members/member-picker.tsx';

/** The content of the form when it opens. */
export interface InitialObjective {
  title: string;
  body: string;
}

const nothing: InitialObjective = { title: '', body: '' };

function Form({ onClose, initial }: { onClose: () => void; initial: InitialObjective }) {
  const { client } = useBroker();
  const navigate = useNavigate();
  const self = useSelf().member;
  const { data: roster } = useRoster();
  const [title, setTitle] = useState(initial.title);
  const [outcome, setOutcome] = useState('');
  const [assignee, setAssignee] = useState('');
  const [body, setBody] = useState(initial.body);
  const [watchers, setWatchers] = useState<readonly string[]>([]);
  const idempotency = useIdempotencyKey();
  const may = useMay('createObjective');
  const create = useMutation({
    mutationFn: () => {
      const made = { title, outcome, assignee, body, watchers: watchers.filter((name) => name !== assignee) };
      return client.call('createObjective', {
        body: made,
        headers: { 'idempotency-key': idempotency.keyOf(made) },
      });
    },
    onSuccess: ({ id }) => {
      // Back leads to where the form was opened.
      void navigate({ to: '/app/objectives/$id', params: { id }, replace: true });
    },
  });
  const members = (roster?.teammates ?? []).map(({ name }) => name as string);
  const assignees = useMemberOptions(
    members.map((name) => ({ name, text: name === self ? `${name} (you)` : name })),
  );
  return (
    <FieldForm onSubmit={() => create.mutate()}>
      <Field label="Title">
        <TextInput
          value={title}
          onChange={(event) => setTitle(event.target.value)}
          maxLength={limits.objective.title}
          required
        />
      </Field>
      <Field label="Outcome" hint="The tangible result that shows that the objective is done.">
        <TextArea
          value={outcome}
          onChange={(event) => setOutcome(event.target.value)}
          maxLength={limits.objective.outcome}
          rows={3}
          required
        />
      </Field>
      <Field label="Assignee">
        <Select
          name="assignee"
          value={assignee}
          options={assignees}
          onChoose={setAssignee}
          placeholder="Choose a member"
        />
      </Field>
      <Field label="Description" hint="Further details, in Markdown.">
        <TextArea
          value={body}
          onChange={(event) => setBody(event.target.value)}
          maxLength={limits.objective.body}
        />
      </Field>
      <MemberPicker
        label="Watchers"
        members={members.filter((name) => name !== assignee)}
        chosen={watchers}
        onChange={setWatchers}
      />
      <FormError error={create.error} />
      <FormActions>
        <Meanwhile sentences={may ? [] : [withdrawn]} />
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" isBusy={create.isPending}>
          Create objective
        </Button>
      </FormActions>
    </FieldForm>
  );
}

export interface CreateObjectiveProps {
  isOpen: boolean;
  onClose: () => void;
  initial?: InitialObjective;
}

export function CreateObjective({ isOpen, onClose, initial = nothing }: CreateObjectiveProps) {
  const isShown = useStaysOpen(isOpen, useMay('createObjective'));
  return (
    <Dialog
      isOpen={isShown}
      onClose={onClose}
      isHeld
      title="New objective"
      description="The assignee is notified immediately. An agent starts when it receives the objective."
    >
      <Form onClose={onClose} initial={initial} />
    </Dialog>
  );
}
