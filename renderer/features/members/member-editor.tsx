/** A member's role, instructions, and permissions, as operators change them. */
import { useQueryClient } from '@tanstack/react-query';
import { limits } from '#protocol/limits.ts';
import type { Member, WakePolicy } from '#protocol/member.ts';
import { wakePolicies } from '#protocol/vocabulary.ts';
import { useBroker } from '../../data/broker.tsx';
import { useEdits } from '../../data/edits.ts';
import { keys } from '../../data/keys.ts';
import { useMutation } from '../../data/use-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { Field, FieldForm, TextArea, TextInput } from '../../ui/field.tsx';
import { Meanwhile, withdrawn } from '../../ui/meanwhile.tsx';
import { Overtaken } from '../../ui/overtaken.tsx';
import { Section } from '../../ui/page.tsx';
import { Select } from '../../ui/select.tsx';
import { FormError } from '../../ui/states.tsx';
import { toast } from '../../ui/toast.ts';
import { Unsaved } from '../../ui/unsaved.tsx';
import { PermissionEditor } from './permission-editor.tsx';

interface Editable {
  title: string;
  description: string;
  instructions: string;
  permissions: string[];
  wakes: WakePolicy;
}

const labelByField: Record<keyof Editable, string> = {
  title: 'Role',
  description: 'Role description',
  instructions: 'Instructions',
  permissions: 'Permissions',
  wakes: 'What wakes the agent',
};

const wakesText: Record<WakePolicy, string> = {
  all: 'Every message',
  default: 'Messages that concern it, and posts by people',
  mentions: 'Only messages that concern it',
};
const wakesHint: Record<WakePolicy, string> = {
  all: 'Every message begins a turn of this member’s agent.',
  default:
    'Direct messages, mentions, and its objectives concern an agent. Other posts by agents wait for its next turn.',
  mentions:
    'Direct messages, mentions, and its objectives concern an agent. All other messages wait for its next turn.',
};

/** The texts that were typed before the member lost the right to save them, without the rest of what only operators read. */
function TypedTexts({ changed }: { changed: Partial<Editable> }) {
  const texts = (['title', 'description', 'instructions'] as const).filter(
    (field) => changed[field] !== undefined,
  );
  return (
    <div className="flex flex-col gap-4 p-4">
      <Meanwhile sentences={texts.length === 0 ? [] : [withdrawn]} />
      {texts.map((field) => (
        <Field key={field} label={labelByField[field]}>
          <TextArea value={changed[field]} readOnly />
        </Field>
      ))}
    </div>
  );
}

interface MemberEditorProps {
  member: Member;
  isLastManager: boolean;
  mayChange: boolean;
}

export function MemberEditor({ member, isLastManager, mayChange }: MemberEditorProps) {
  const { client } = useBroker();
  const cache = useQueryClient();
  const { value, set, changed, overtaken, sent } = useEdits<Editable>({
    title: member.role.title,
    description: member.role.description,
    instructions: member.instructions,
    permissions: member.rawPermissions,
    wakes: member.wakes ?? 'default',
  });
  const { title, description, instructions, permissions, wakes } = value;
  const save = useMutation({
    mutationFn: ({ now, edits }: { now: Member; edits: Partial<Editable> }) => {
      const { instructions, permissions, wakes, ...role } = edits;
      return client.call('updateMember', {
        params: { name: now.name },
        body: {
          ...(Object.keys(role).length > 0 && { role: { ...now.role, ...role } }),
          ...(instructions !== undefined && { instructions }),
          ...(permissions !== undefined && { permissions }),
          ...(wakes !== undefined && { wakes }),
        },
      });
    },
    onSuccess: async (_, { now, edits }) => {
      toast(`${now.name} was saved`);
      await cache.invalidateQueries({ queryKey: keys.members });
      sent(edits);
    },
  });
  const unsaved = <Unsaved isChanged={Object.keys(changed).length > 0} />;
  if (!mayChange)
    return (
      <>
        {unsaved}
        <TypedTexts changed={changed} />
      </>
    );
  return (
    <Section title="Role and permissions">
      <FieldForm
        className="flex flex-col gap-4 p-4"
        onSubmit={() => save.mutate({ now: member, edits: changed })}
      >
        <div className="grid gap-4 sm:grid-cols-2">
          <Field label="Role">
            <TextInput
              value={title}
              onChange={(event) => set('title', event.target.value)}
              maxLength={limits.roleTitle}
              required
            />
          </Field>
          <Field label="Role description">
            <TextInput
              value={description}
              onChange={(event) => set('description', event.target.value)}
              maxLength={limits.roleDescription}
            />
          </Field>
        </div>
        <Field label="Instructions" hint="Private: only this member and managers can read them.">
          <TextArea
            value={instructions}
            onChange={(event) => set('instructions', event.target.value)}
            maxLength={limits.instructions}
            rows={6}
          />
        </Field>
        <Field label={labelByField.wakes} hint={wakesHint[wakes]}>
          <Select
            value={wakes}
            options={wakePolicies.map((policy) => ({ value: policy, text: wakesText[policy] }))}
            onChoose={(policy) => set('wakes', policy)}
          />
        </Field>
        <PermissionEditor chosen={permissions} onChange={(next) => set('permissions', next)} />
        {isLastManager ? (
          <p className="rounded-md bg-info-soft px-3 py-2 text-info">
            {member.name} is the only member who may manage members. Give that to another member first,
            because a team without a manager could never be changed again.
          </p>
        ) : null}
        {unsaved}
        <Overtaken fields={overtaken.map((field) => labelByField[field])} />
        <FormError error={save.error} />
        <div className="flex justify-end">
          <Button
            type="submit"
            look="primary"
            isBusy={save.isPending}
            disabled={Object.keys(changed).length === 0}
          >
            Save
          </Button>
        </div>
      </FieldForm>
    </Section>
  );
}
