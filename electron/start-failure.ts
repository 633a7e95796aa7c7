/** The messages that the person sees if the app cannot start. */
import { app, dialog } from 'electron';
import { reasonOf } from '#platform/error-text.ts';
import type { CrashReports } from './crash-reports.ts';

/**
 * Whether the engine was started without its sandbox. The starter of an AppImage does that by itself where the
 * system restricts user namespaces.
 */
export const lacksSandbox = (): boolean => app.isPackaged && app.commandLine.hasSwitch('no-sandbox');

/** Says how to get an app whose windows are protected. */
export function showMissingSandbox(): void {
  dialog.showErrorBox(
    'Muster does not run without its sandbox',
    'This system does not allow the sandbox of an AppImage, which keeps pages away from your files. Install the deb package of Muster instead.',
  );
}

const title = 'Muster could not be started';

function reported(error: unknown, reports: CrashReports): string {
  const report = reports.write(error);
  return `${reasonOf(error)}${report === null ? '' : `\n\nThe details are in ${report}.`}`;
}

/** Writes a report and shows why the app cannot start. Returns when the person has seen it. */
export function showEarlyFailure(error: unknown, reports: CrashReports): void {
  dialog.showErrorBox(title, reported(error, reports));
}

/** The same once parts of the app may run. They go on until the person has seen it. */
export async function showStartFailure(error: unknown, reports: CrashReports): Promise<void> {
  await dialog.showMessageBox({
    type: 'error',
    message: title,
    detail: reported(error, reports),
    buttons: ['Quit'],
  });
}
