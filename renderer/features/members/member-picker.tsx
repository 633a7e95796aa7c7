/** Selects several members of the team, as check boxes in a list that scrolls. */
import { KindBadge, usePeopleFirst } from '../../ui/kind.tsx';

export function MemberPicker({
  label,
  members,
  chosen,
  onChange,
}: {
  label: string;
  members: readonly string[];
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
}) {
  const listed = usePeopleFirst(members);
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="text-sm font-medium">{label}</legend>
      <div className="flex max-h-36 flex-wrap gap-x-4 gap-y-1 overflow-y-auto rounded-md border border-line p-2">
        {members.length === 0 ? <span className="text-soft">No other members.</span> : null}
        {listed.map((name) => (
          <label key={name} className="flex items-center gap-1.5">
            <input
              type="checkbox"
              checked={chosen.includes(name)}
              onChange={(event) =>
                onChange(event.target.checked ? [...chosen, name] : chosen.filter((one) => one !== name))
              }
              className="accent-(--accent)"
            />
            {name} <KindBadge name={name} />
          </label>
        ))}
      </div>
    </fieldset>
  );
}
