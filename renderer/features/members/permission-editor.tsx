/**
 * Presets and permissions on one side, the resolved permissions on the other
 * (specification/console.md#people).
 */
import { defaultPresets, leaves, resolvePermissions } from '#protocol/access.ts';
import { useTeam } from '../../data/queries.ts';
import { Badge } from '../../ui/badge.tsx';

const meaning: Record<(typeof leaves)[number], string> = {
  'team.manage': 'change the team’s name, directive, and brief',
  'members.manage': 'manage members; equivalent to root access, because it can rotate anyone’s token',
  'objectives.create': 'create objectives',
  'objectives.cancel': 'cancel any objective',
  'objectives.reassign': 'shown for completeness; reassigning needs members.manage',
  'objectives.watch': 'change the watchers of any objective',
  'activity.read': 'see the activity of every agent',
};

export function PermissionEditor({
  chosen,
  onChange,
}: {
  chosen: readonly string[];
  onChange: (chosen: string[]) => void;
}) {
  const { data: team } = useTeam();
  const presets = team?.permissionPresets ?? defaultPresets;
  const { permissions } = resolvePermissions(chosen, presets);
  const toggle = (entry: string, isOn: boolean) =>
    onChange(isOn ? [...chosen, entry] : chosen.filter((one) => one !== entry));
  const box = (entry: string, hint?: string) => (
    <label key={entry} className="flex items-start gap-2 py-0.5">
      <input
        type="checkbox"
        className="mt-1 accent-(--accent)"
        checked={chosen.includes(entry)}
        onChange={(event) => toggle(entry, event.target.checked)}
      />
      <span>
        <span className="font-mono text-sm">{entry}</span>
        {hint === undefined ? null : <span className="block text-sm text-soft">{hint}</span>}
      </span>
    </label>
  );
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <div>
        <fieldset>
          <legend className="text-sm font-medium">Presets</legend>
          {Object.keys(presets).map((preset) => box(preset))}
        </fieldset>
        <fieldset className="mt-3">
          <legend className="text-sm font-medium">Individual permissions</legend>
          {leaves.map((leaf) => box(leaf, meaning[leaf]))}
        </fieldset>
      </div>
      <div className="top-0 self-start rounded-md bg-sunken p-3 sm:sticky">
        <h3 className="text-sm font-medium">Resulting permissions</h3>
        {permissions.length === 0 ? (
          <p className="mt-1 text-soft">
            No extra permissions. Every member can write messages, store its own files, and work on its
            objectives.
          </p>
        ) : (
          <ul className="mt-1 flex flex-col gap-1">
            {permissions.map((leaf) => (
              <li key={leaf}>
                <Badge tone={leaf === 'members.manage' ? 'critical' : 'info'}>{leaf}</Badge>
              </li>
            ))}
          </ul>
        )}
        {permissions.includes('members.manage') ? (
          <p className="mt-2 text-sm text-critical">
            members.manage is equivalent to root access. Give it only to people whom you would trust with your
            keys.
          </p>
        ) : null}
      </div>
    </div>
  );
}
