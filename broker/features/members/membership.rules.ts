/**
 * The rules for becoming a member, staying one, and managing. Pure: a change of the configuration applies them
 * before it is written (specification/members.md#the-last-manager).
 */
import { type Leaf, resolvePermissions } from '#protocol/access.ts';
import { refuse } from '#protocol/errors.ts';
import { foldedName } from '#protocol/folded-name.ts';

type Presets = Readonly<Record<string, readonly string[]>>;

/** @throws BrokerError conflict: names are unique without regard to case. */
export function refuseTaken(name: string, members: readonly { name: string }[]): void {
  const folded = foldedName(name);
  // Comparing lengths first spares most of the work for a large team.
  const holder = members.find((one) => one.name.length === name.length && foldedName(one.name) === folded);
  if (holder !== undefined) refuse('name_taken', { name, holder: holder.name });
}

/** @throws BrokerError bad_request that names the entries that are neither preset nor permission. */
export function refuseUnknownPermissions(entries: readonly string[], presets: Presets): void {
  const { unknown } = resolvePermissions(entries, presets);
  if (unknown.length === 0) return;
  refuse('unknown_permission', { entries: unknown });
}

/** The last-manager rule. @throws BrokerError bad_request if nobody would hold members.manage. */
export function refuseUnmanaged(members: readonly { permissions: readonly Leaf[] }[]): void {
  if (!members.some(({ permissions }) => permissions.includes('members.manage'))) refuse('last_manager');
}
