/** Backups that the desktop app makes: the folder, once a day or now, and how the last one ended. */
import { useQueryClient } from '@tanstack/react-query';
import type { BackupView, BridgeReply, DesktopBridge } from '../../../electron/bridge.ts';
import { answerOf } from '../../data/desktop-bridge.ts';
import { useMutation } from '../../data/use-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/page.tsx';
import { FormError, NotLoaded } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { type AppBackups, backupKey, useBackupState } from './bridge-states.ts';

function Last({ view: { last, isRunning } }: { view: BackupView }) {
  if (isRunning) return <p role="status">A backup is running…</p>;
  if (last === null) return <p role="status">No backup was made yet.</p>;
  return (
    <p role="status" className={last.isDone ? undefined : 'text-critical'}>
      {last.isDone ? 'Last backup ' : 'The last backup failed '}
      <Time at={last.endedAt} />: {last.text}
      {last.fault === undefined ? null : <span className="block text-critical">{last.fault}</span>}
    </p>
  );
}

export function BackupPart({ bridge }: { bridge: DesktopBridge }) {
  const cache = useQueryClient();
  const { data, error, refetch } = useBackupState();
  const changing = useMutation({
    mutationFn: (change: () => Promise<BridgeReply<BackupView>>) => answerOf(change()),
    onSuccess: (view) =>
      cache.setQueryData<AppBackups>(backupKey, (before) => before && { ...before, ...view }),
  });
  if (data === undefined || data === null) return <NotLoaded error={error} onRetry={refetch} />;
  const { folder, isDaily, isRunning } = data;
  return (
    <Section title="Backups">
      <div className="flex flex-col gap-3 p-4">
        <p className="text-soft">
          A backup has everything of this team that is on disk: configuration, certificates, messages, files,
          and activity. It does not have the key for secrets, which you export below. Anyone who has the
          folder can read all messages.
        </p>
        {folder === null ? (
          <p>No folder was chosen yet.</p>
        ) : (
          <code className="font-mono text-sm break-all">{folder}</code>
        )}
        <div className="flex flex-wrap items-center gap-2">
          <Button onClick={() => changing.mutate(() => bridge.chooseBackupFolder())}>
            {folder === null ? 'Choose a folder…' : 'Choose another folder…'}
          </Button>
          <Button
            look="primary"
            disabled={folder === null}
            isBusy={isRunning}
            onClick={() => changing.mutate(() => bridge.backUpNow())}
          >
            Back up now
          </Button>
        </div>
        <label className="flex items-center gap-2">
          <input
            type="checkbox"
            checked={isDaily}
            disabled={folder === null}
            onChange={({ target: { checked } }) => changing.mutate(() => bridge.setDailyBackup(checked))}
          />
          Back up once a day, and keep the last 14
        </label>
        <Last view={data} />
        <FormError error={changing.error} />
      </div>
    </Section>
  );
}
