/** The rules for a team's presets (specification/members.md#presets). Pure. */
import { leaves } from '#protocol/access.ts';
import { refuse } from '#protocol/errors.ts';

type Presets = Readonly<Record<string, readonly string[]>>;

const isLeaf = (entry: string): boolean => leaves.some((leaf) => leaf === entry);

/**
 * @throws BrokerError bad_request for a preset named like a permission, and for anything except permissions
 *   inside.
 */
export function refuseMalformedPresets(presets: Presets): void {
  for (const [name, entries] of Object.entries(presets)) {
    if (isLeaf(name)) refuse('preset_named_like_permission', { name });
    const unknown = entries.find((entry) => !isLeaf(entry));
    if (unknown !== undefined) {
      refuse('preset_holds_unknown', { preset: name, entry: unknown });
    }
  }
}

/** @throws BrokerError conflict that names the members who hold a preset that would be removed. */
export function refusePresetsInUse(
  presets: Presets,
  members: readonly { name: string; rawPermissions: readonly string[] }[],
): void {
  const isKnown = (entry: string) => isLeaf(entry) || Object.hasOwn(presets, entry);
  const holders = members.filter(({ rawPermissions }) => !rawPermissions.every(isKnown));
  if (holders.length === 0) return;
  const gone = new Set(
    holders.flatMap(({ rawPermissions }) => rawPermissions.filter((entry) => !isKnown(entry))),
  );
  refuse('preset_in_use', { presets: [...gone], members: holders.map(({ name }) => name) });
}
