/** What a team's presets may be (specification/members.md#presets). Pure. */
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
    if (isLeaf(name)) refuse('bad_request', `a preset must not have the name of a permission: ${name}`);
    const unknown = entries.find((entry) => !isLeaf(entry));
    if (unknown !== undefined) {
      refuse(
        'bad_request',
        `the preset ${JSON.stringify(name)} may hold permissions only, not ${JSON.stringify(unknown)}`,
      );
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
  const presetsGone = [...gone].map((preset) => JSON.stringify(preset)).join(', ');
  refuse('conflict', `still in use: ${presetsGone}, by ${holders.map(({ name }) => name).join(', ')}`);
}
