/**
 * Exports the recovery key through the app's own dialogs, never through a page. Each time, it asks for
 * confirmation and explains the consequences.
 */
import type { BrowserWindow } from 'electron';
import { clipboard, dialog } from 'electron';
import { replacePrivateFile } from '#platform/private-file.ts';
import type { KeyKeeping } from '../../broker/create-broker.ts';
import type { KeyExport } from '../bridge.ts';

const consequence = [
  'Anyone who has this key and the file svc.json can read the authenticator secrets of all members and log in as any of them.',
  'Keep it away from this machine, for example in a safe or a password manager. To move the team to another machine,',
  'start Muster there with SVC_KEK set to this key.',
].join(' ');

/** @throws the system's error if the file cannot be written. */
export async function exportRecoveryKey(window: BrowserWindow, key: KeyKeeping): Promise<KeyExport> {
  const { response } = await dialog.showMessageBox(window, {
    type: 'warning',
    message: 'Export the recovery key of this team?',
    detail: consequence,
    buttons: ['Save to a file…', 'Copy', 'Cancel'],
    defaultId: 2,
    cancelId: 2,
  });
  if (response === 1) {
    await clipboard.writeText(key.reveal());
    return { kind: 'copied' };
  }
  if (response !== 0) return { kind: 'canceled' };
  const { canceled, filePath } = await dialog.showSaveDialog(window, {
    title: 'Save the recovery key',
    defaultPath: 'muster-recovery.key',
  });
  if (canceled || filePath === '') return { kind: 'canceled' };
  await replacePrivateFile(filePath, `${key.reveal()}\n`);
  return { kind: 'saved', path: filePath };
}
