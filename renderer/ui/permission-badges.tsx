import { effective, wordsOfPermission } from '#protocol/permission-words.ts';
import { Badge } from './badge.tsx';

/** The permissions that have an effect, in words. `warnsOf` is shown as critical. */
export function PermissionBadges({
  permissions,
  warnsOf,
}: {
  permissions: readonly string[];
  warnsOf?: string;
}) {
  return effective(permissions).map((leaf) => (
    <Badge key={leaf} tone={leaf === warnsOf ? 'critical' : 'neutral'}>
      {wordsOfPermission(leaf)}
    </Badge>
  ));
}
