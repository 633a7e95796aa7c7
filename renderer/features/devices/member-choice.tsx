/** Selects the member of a device: an existing member or a new one. */

import { effective } from '#protocol/permission-words.ts';
import { useRoster } from '../../data/queries.ts';
import { Field, TextInput } from '../../ui/field.tsx';
import { useMemberOptions } from '../../ui/member-options.tsx';
import { PermissionBadges } from '../../ui/permission-badges.tsx';
import { Select } from '../../ui/select.tsx';
import { PermissionEditor } from '../members/permission-editor.tsx';

export interface ChosenMember {
  mode: 'bind' | 'create';
  name: string;
  /** Of a new member, as are the permissions. */
  title: string;
  permissions: string[];
}

/** Returns the member in the form of the request. */
export const approvedMember = ({ mode, name, title, permissions }: ChosenMember) =>
  mode === 'bind'
    ? { mode, memberName: name }
    : { mode, memberName: name, role: { title, description: '' }, permissions };

interface PartProps {
  member: ChosenMember;
  set: (change: Partial<ChosenMember>) => void;
}

function KnownMember({ member, set }: PartProps) {
  const { data: roster } = useRoster();
  const options = useMemberOptions(roster?.teammates ?? []);
  const bound = roster?.teammates.find(({ name }) => name === member.name);
  return (
    <>
      <Field label="Member">
        <Select
          value={member.name}
          options={options}
          onChoose={(name) => set({ name })}
          placeholder="Choose a member"
        />
      </Field>
      {bound === undefined ? null : (
        <p className="flex flex-wrap items-center gap-1 text-sm text-soft">
          The device gets the permissions of {bound.name}:{' '}
          {effective(bound.permissions).length === 0 ? (
            'those that every member has.'
          ) : (
            <PermissionBadges permissions={bound.permissions} warnsOf="members.manage" />
          )}
        </p>
      )}
    </>
  );
}

function NewMember({ member, set }: PartProps) {
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Name">
          <TextInput
            value={member.name}
            onChange={({ target }) => set({ name: target.value })}
            autoCapitalize="none"
            spellCheck={false}
            required
          />
        </Field>
        <Field label="Role">
          <TextInput value={member.title} onChange={({ target }) => set({ title: target.value })} required />
        </Field>
      </div>
      <PermissionEditor chosen={member.permissions} onChange={(permissions) => set({ permissions })} />
    </>
  );
}

export function MemberChoice({
  member,
  onMember,
}: {
  member: ChosenMember;
  onMember: (member: ChosenMember) => void;
}) {
  const set = (change: Partial<ChosenMember>) => onMember({ ...member, ...change });
  return (
    <>
      <fieldset className="flex gap-4">
        <legend className="sr-only">Member of the device</legend>
        {(['bind', 'create'] as const).map((one) => (
          <label key={one} className="flex items-center gap-1.5">
            <input
              type="radio"
              name="mode"
              checked={member.mode === one}
              onChange={() => set({ mode: one })}
              className="accent-(--accent)"
            />
            {one === 'bind' ? 'Existing member' : 'New member'}
          </label>
        ))}
      </fieldset>
      {member.mode === 'bind' ? (
        <KnownMember member={member} set={set} />
      ) : (
        <NewMember member={member} set={set} />
      )}
    </>
  );
}
