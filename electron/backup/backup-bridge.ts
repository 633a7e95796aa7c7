/** The bridge calls of backups. */
import { type BrowserWindow, dialog, type WebContents } from 'electron';
import type { BridgeHandlers } from '../serve-bridge.ts';
import type { Backups } from './backups.ts';

export interface BackupBridgeDeps {
  backups: Backups;
  windowOf(page: WebContents): BrowserWindow | null;
}

export function backupHandlers({
  backups,
  windowOf,
}: BackupBridgeDeps): Pick<
  BridgeHandlers,
  'backupState' | 'chooseBackupFolder' | 'setDailyBackup' | 'backUpNow'
> {
  return {
    backupState: backups.view,
    async chooseBackupFolder(_nothing, { page }) {
      const window = windowOf(page);
      if (window === null) return backups.view();
      const { canceled, filePaths } = await dialog.showOpenDialog(window, {
        title: 'Choose the folder for backups, on another disk if you can',
        properties: ['openDirectory', 'createDirectory'],
      });
      const [folder] = filePaths;
      if (!canceled && folder !== undefined) await backups.setFolder(folder);
      return backups.view();
    },
    async setDailyBackup(isDaily) {
      await backups.setDaily(isDaily);
      return backups.view();
    },
    backUpNow() {
      backups.backUp();
      return backups.view();
    },
  };
}
