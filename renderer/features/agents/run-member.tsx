/** Selects the member that an agent runs as. */
import { useRoster } from '../../data/queries.ts';
import { useMay } from '../../data/self.tsx';
import { Button } from '../../ui/button.tsx';
import { Field, SelectInput } from '../../ui/field.tsx';
import { MemberOptions } from '../../ui/member-options.tsx';

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
  return (
    <Field
      label="Member"
      hint={
        mayStart
          ? 'The agent gets a token for this run only, which is revoked when the run ends.'
          : 'To start an agent, you need members.manage.'
      }
    >
      <div className="flex gap-2">
        <SelectInput value={member} onChange={(event) => onMember(event.target.value)} required>
          <option value="" disabled>
            Choose a member
          </option>
          <MemberOptions
            members={(roster?.teammates ?? []).map(({ name, role }) => ({
              name,
              text: `${name} · ${role.title}`,
            }))}
          />
        </SelectInput>
        {mayCreateMember ? (
          <Button aria-label="New member" onClick={onCreate}>
            New…
          </Button>
        ) : null}
      </div>
    </Field>
  );
}
