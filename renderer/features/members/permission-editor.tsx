/**
 * Presets and permissions on one side, the resolved permissions on the other
 * (specification/console.md#people).
 */
import { defaultPresets, type Leaf, leaves, resolvePermissions } from '#protocol/access.ts';
import { permissionWords } from '#protocol/permission-words.ts';
import { useTeam } from '../../data/queries.ts';
import { Badge } from '../../ui/badge.tsx';

/** The meaning that the words alone do not give. */
const meaning: Partial<Record<Leaf, string>> = {
  'team.manage': 'its name, directive, and brief',
  'members.manage': 'equivalent to root access, because it can rotate anyone’s token',
  'objectives.watch': 'of any objective',
  'objectives.reassign': 'no effect by itself, because reassigning needs “Manage members”',
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
  const box = (entry: string, words: string, name?: string, hint?: string) => (
    <label key={entry} className="flex items-start gap-2 py-0.5">
      <input
        type="checkbox"
        className="mt-1 accent-(--accent)"
        checked={chosen.includes(entry)}
        onChange={(event) => toggle(entry, event.target.checked)}
      />
      <span>
        {words}
        {name === undefined ? null : (
          <span className="block text-sm text-soft">
            <code className="font-mono text-xs">{name}</code>
            {hint === undefined ? null : `: ${hint}`}
          </span>
        )}
      </span>
    </label>
  );
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <div>
        <fieldset>
          <legend className="text-sm font-medium">Presets</legend>
          {Object.keys(presets).map((preset) => box(preset, preset))}
        </fieldset>
        <fieldset className="mt-3">
          <legend className="text-sm font-medium">Individual permissions</legend>
          {leaves.map((leaf) => box(leaf, permissionWords[leaf], leaf, meaning[leaf]))}
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
                <Badge tone={leaf === 'members.manage' ? 'critical' : 'info'}>{permissionWords[leaf]}</Badge>
              </li>
            ))}
          </ul>
        )}
        {permissions.includes('members.manage') ? (
          <p className="mt-2 text-sm text-critical">
            “Manage members” is equivalent to root access. Give it only to people whom you would trust with
            your keys.
          </p>
        ) : null}
      </div>
    </div>
  );
}
