/** The leaf permissions in words, as the console shows them. The contract itself uses the names. */
import { type Leaf, leaves } from './access.ts';

export const permissionWords: Readonly<Record<Leaf, string>> = {
  'team.manage': 'Change the team',
  'members.manage': 'Manage members',
  'objectives.create': 'Create objectives',
  'objectives.cancel': 'Cancel any objective',
  'objectives.reassign': 'Reassign objectives',
  'objectives.watch': 'Change watchers',
  'activity.read': 'See all activity',
};

/** Returns the words for a permission; a name that is no permission of this version stays. */
export const wordsOfPermission = (name: string): string =>
  Object.entries(permissionWords).find(([leaf]) => leaf === name)?.[1] ?? name;

/** Returns the permissions that have an effect: reassigning needs `members.manage`. */
export const effective = <P extends string>(permissions: readonly P[]): P[] =>
  permissions.filter(
    (leaf) => leaf !== 'objectives.reassign' || permissions.some((other) => other === 'members.manage'),
  );

/** Returns what a member may do, in one line. */
export function permissionLine(permissions: readonly Leaf[]): string {
  if (permissions.length === leaves.length) return 'May do everything';
  const said = effective(permissions).map((leaf) => permissionWords[leaf].toLowerCase());
  return said.length === 0 ? 'No extra permissions' : `May ${said.join(', ')}`;
}
