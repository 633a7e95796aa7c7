/**
 * Who may become, stay, and manage. Pure: a change of the configuration applies these rules before it is
 * written (specification/members.md#the-last-manager).
 */
import { resolvePermissions } from '#protocol/access.ts';
import { refuse } from '#protocol/errors.ts';
import { foldedName } from '#protocol/folded-name.ts';

interface Entered {
  name: string;
  rawPermissions: readonly string[];
}
type Presets = Readonly<Record<string, readonly string[]>>;

/** @throws BrokerError conflict: names are unique without regard to case. */
export function refuseTaken(name: string, members: readonly Entered[]): void {
  const holder = members.find((member) => foldedName(member.name) === foldedName(name));
  if (holder !== undefined) refuse('name_taken', { name, holder: holder.name });
}

/** @throws BrokerError bad_request that names the entries that are neither preset nor permission. */
export function refuseUnknownPermissions(entries: readonly string[], presets: Presets): void {
  const { unknown } = resolvePermissions(entries, presets);
  if (unknown.length === 0) return;
  refuse('unknown_permission', { entries: unknown });
}

/** The last-manager rule. @throws BrokerError bad_request if nobody would hold members.manage. */
export function refuseUnmanaged(members: readonly Entered[], presets: Presets): void {
  const isManaged = members.some(({ rawPermissions }) =>
    resolvePermissions(rawPermissions, presets).permissions.includes('members.manage'),
  );
  if (!isManaged) {
    refuse('last_manager');
  }
}
