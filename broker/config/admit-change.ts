/**
 * From a valid configuration and a change to the next valid configuration. Only what is another object than
 * before is checked, because the rest was valid (ADR 0040).
 */
import { resolvePermissions } from '#protocol/access.ts';
import { migrate, type Seal } from './admit-config.ts';
import { faultsOfEach } from './config-faults.ts';
import { memberChanges } from './member-changes.rules.ts';
import { type ConfigMember, type SvcConfig, WrittenConfig } from './svc-config.ts';

/**
 * Returns null if something is not valid; `admitConfig` of the whole says what. Names and tokens that two
 * members share are left to the index of members.
 */
export function admitChange(before: SvcConfig, after: SvcConfig, seal: Seal): SvcConfig | null {
  const { left, entered } = memberChanges(before.store.members, after.store.members);
  const isEachOnce =
    after.store.members.length === before.store.members.length - left.length + entered.length;
  if (!isEachOnce) return null;
  const form = WrittenConfig.safeParse({ ...after, store: { ...after.store, members: entered } });
  if (!form.success || faultsOfEach(form.data).length > 0) return null;
  const { config } = migrate(form.data, seal);
  const admitted = new Map(entered.map((written, at) => [written, config.store.members[at] ?? written]));
  const { permissionPresets: presets } = after.team;
  const present = after.store.members.map((written) => admitted.get(written) ?? written);
  const members = presets === before.team.permissionPresets ? present : resolvedMembers(present, presets);
  if (!members?.some(({ permissions }) => permissions.includes('members.manage'))) return null;
  return { ...config, store: { ...config.store, members } };
}

/**
 * Resolves permissions by other presets. A member whose permissions stay the same is the same object. Returns
 * null if an entry is neither a preset nor a permission. A large team has few different lists of entries.
 */
function resolvedMembers(
  members: readonly ConfigMember[],
  presets: SvcConfig['team']['permissionPresets'],
): ConfigMember[] | null {
  const resolvedByEntries = new Map<string, ReturnType<typeof resolvePermissions>>();
  const resolved = members.map((member) => {
    const entries = JSON.stringify(member.rawPermissions);
    const known = resolvedByEntries.get(entries) ?? resolvePermissions(member.rawPermissions, presets);
    resolvedByEntries.set(entries, known);
    const { permissions } = known;
    return permissions.join() === member.permissions.join() ? member : { ...member, permissions };
  });
  const isKnown = [...resolvedByEntries.values()].every(({ unknown }) => unknown.length === 0);
  return isKnown ? resolved : null;
}
