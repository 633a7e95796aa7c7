/** The permissions of a member in a few words. Pure. */
import { type Leaf, leaves } from '#protocol/access.ts';

const words: Record<Leaf, string> = {
  'members.manage': 'manages members',
  'team.manage': 'changes the team',
  'objectives.create': 'creates objectives',
  'objectives.cancel': 'cancels any objective',
  'objectives.reassign': 'reassigns objectives',
  'objectives.watch': 'changes watchers',
  'activity.read': 'sees all activity',
};

export function permissionWords(permissions: readonly Leaf[]): string {
  if (permissions.length === 0) return 'No extra permissions';
  if (permissions.length === leaves.length) return 'May do everything';
  const said = Object.entries(words)
    .filter(([leaf]) => permissions.some((one) => one === leaf))
    .map(([, word]) => word)
    .join(', ');
  return said.charAt(0).toUpperCase() + said.slice(1);
}
