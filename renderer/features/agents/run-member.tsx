/** Selects the member that an agent runs as. */
import { useRoster } from '../../data/queries.ts';
import { useMay } from '../../data/self.tsx';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { useMemberOptions } from '../../ui/member-options.tsx';
import { Select } from '../../ui/select.tsx';

export interface RunMemberProps {
  member: string;
  onMember: (name: string) => void;
  /** Called to create a new member. */
  onCreate: () => void;
}

export function RunMember({ member, onMember, onCreate }: RunMemberProps) {
  const mayStart = useMay('approveEnrollment');
  const mayCreateMember = useMay('createMember');
  const { data: roster } = useRoster();
  const options = useMemberOptions(
    (roster?.teammates ?? []).map(({ name, role }) => ({ name, text: `${name} · ${role.title}` })),
  );
  return (
    <Field
      label="Member"
      hint={
        mayStart
          ? 'The agent gets a token for this run only, which is revoked when the run ends.'
          : 'Only members who may manage members can start an agent.'
      }
    >
      <div className="flex gap-2">
        <Select
          value={member}
          options={options}
          onChoose={onMember}
          placeholder="Choose a member"
          className="flex-1"
        />
        {mayCreateMember ? (
          <Button aria-label="New member" onClick={onCreate}>
            New…
          </Button>
        ) : null}
      </div>
    </Field>
  );
}
