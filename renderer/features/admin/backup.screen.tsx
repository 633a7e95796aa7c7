/** Backups, the recovery key, and retention. */
import { desktopBridge } from '../../data/desktop-bridge.ts';
import { CopyLine } from '../../ui/copy-button.tsx';
import { Section } from '../../ui/page.tsx';
import { AdminPage, AdminSections } from './admin-page.tsx';
import { BackupPart } from './backup-part.tsx';
import { BackupVerdict } from './backup-verdict.tsx';
import { KeyPart } from './key-part.tsx';
import { RetentionPart } from './retention-part.tsx';

export function BackupScreen() {
  const bridge = desktopBridge();
  return (
    <AdminPage title="Backup and retention">
      <AdminSections>
        <BackupVerdict />
        {bridge === null ? (
          <Section title="Backups">
            <div className="flex flex-col gap-2 p-4">
              <p className="text-soft">
                A backup has everything of this team that is on disk: configuration, certificates, messages,
                files, and activity. Anyone who has the folder can read all messages. Run this on the broker’s
                machine:
              </p>
              <CopyLine label="Backup command" text="muster backup --to ./backups" />
              <p className="text-soft">
                The broker does not record backups, so this page cannot say when the last one was made. To see
                the backups in a folder and whether each is complete, run:
              </p>
              <CopyLine label="Verify command" text="muster backup --verify ./backups" />
            </div>
          </Section>
        ) : (
          <>
            <BackupPart bridge={bridge} />
            <KeyPart bridge={bridge} />
          </>
        )}
        <RetentionPart />
      </AdminSections>
    </AdminPage>
  );
}
