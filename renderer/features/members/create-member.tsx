/** The form for a new member, whose token is shown once. */
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { limits } from '#protocol/limits.ts';
import { useBroker } from '../../data/broker.tsx';
import { keys } from '../../data/keys.ts';
import { useMay } from '../../data/self.tsx';
import { useMutation } from '../../data/use-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog, FormActions } from '../../ui/dialog.tsx';
import { Field, FieldForm, TextArea, TextInput } from '../../ui/field.tsx';
import { Meanwhile, useStaysOpen, withdrawn } from '../../ui/meanwhile.tsx';
import { FormError } from '../../ui/states.tsx';
import { PermissionEditor } from './permission-editor.tsx';
import { TokenOnce } from './secret-once.tsx';

export function CreateMember({
  isOpen,
  onClose,
  onCreated,
}: {
  isOpen: boolean;
  onClose: () => void;
  /** Called with the name of the new member. */
  onCreated?: (name: string) => void;
}) {
  const isShown = useStaysOpen(isOpen, useMay('createMember'));
  const [created, setCreated] = useState<{ name: string; token: string } | null>(null);
  return (
    <>
      <Dialog
        isOpen={isShown}
        onClose={onClose}
        isHeld
        title="New member"
        description="A person or an agent, who joins with the token that you get or with a device code."
        wide
      >
        <Form
          onClose={onClose}
          onCreated={(member) => {
            setCreated(member);
            onCreated?.(member.name);
          }}
        />
      </Dialog>
      <TokenOnce
        member={created?.name ?? ''}
        token={created?.token ?? null}
        onClose={() => setCreated(null)}
      />
    </>
  );
}

function Form({
  onClose,
  onCreated,
}: {
  onClose: () => void;
  onCreated: (created: { name: string; token: string }) => void;
}) {
  const { client } = useBroker();
  const cache = useQueryClient();
  const [name, setName] = useState('');
  const [title, setTitle] = useState('');
  const [description, setDescription] = useState('');
  const [instructions, setInstructions] = useState('');
  const [permissions, setPermissions] = useState<string[]>([]);
  const may = useMay('createMember');
  const create = useMutation({
    mutationFn: () =>
      client.call('createMember', {
        body: { name, role: { title, description }, instructions, permissions },
      }),
    onSuccess: ({ member, token }) => {
      void cache.invalidateQueries({ queryKey: keys.members });
      void cache.invalidateQueries({ queryKey: keys.roster });
      onClose();
      onCreated({ name: member.name, token });
    },
  });
  return (
    <FieldForm onSubmit={() => create.mutate()}>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field
          label="Name"
          hint="Letters, digits, dots, hyphens, and underscores. A name can never be reused."
        >
          <TextInput
            value={name}
            onChange={(event) => setName(event.target.value)}
            maxLength={limits.memberName}
            autoCapitalize="none"
            spellCheck={false}
            required
          />
        </Field>
        <Field label="Role">
          <TextInput
            value={title}
            onChange={(event) => setTitle(event.target.value)}
            maxLength={limits.roleTitle}
            required
            placeholder="Reviewer"
          />
        </Field>
      </div>
      <Field label="Role description">
        <TextInput
          value={description}
          onChange={(event) => setDescription(event.target.value)}
          maxLength={limits.roleDescription}
        />
      </Field>
      <Field
        label="Instructions"
        hint="Private: only this member and managers can read them. An agent gets them with its first prompt."
      >
        <TextArea
          value={instructions}
          onChange={(event) => setInstructions(event.target.value)}
          maxLength={limits.instructions}
        />
      </Field>
      <PermissionEditor chosen={permissions} onChange={setPermissions} />
      <FormError error={create.error} />
      <FormActions>
        <Meanwhile sentences={may ? [] : [withdrawn]} />
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" isBusy={create.isPending}>
          Create member
        </Button>
      </FormActions>
    </FieldForm>
  );
}
