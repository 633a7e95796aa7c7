/** The beginning of Backup and retention: what may be lost, or one sentence about what the broker and the app know. */
import { Time } from '../../ui/time.tsx';
import { ConditionList } from './condition-list.tsx';
import { type StorageFacts, storageConditions } from './needs-attention.rules.ts';
import { useStorage } from './use-health.ts';

export function BackupVerdict() {
  const { facts, error, retry } = useStorage();
  const conditions = facts && storageConditions(facts);
  return (
    <ConditionList conditions={conditions} error={error} onRetry={retry} here="backup">
      <Quiet backup={facts?.backup ?? null} />
    </ConditionList>
  );
}

function Quiet({ backup }: Pick<StorageFacts, 'backup'>) {
  const last = backup?.last;
  if (backup?.isElsewhere) return 'All stores are on disk. The app of the active machine makes the backups.';
  if (backup === null || last === null || last === undefined)
    return 'All stores are on disk, and the broker reports nothing that needs you here. It cannot tell whether a backup was made.';
  return backup.isDaily ? (
    <>
      Nothing here needs you: all stores are on disk, and this app backs up once a day, the last time{' '}
      <Time at={last.endedAt} />.
    </>
  ) : (
    <>
      All stores are on disk, and this app made its last backup <Time at={last.endedAt} />. It makes none by
      itself.
    </>
  );
}
