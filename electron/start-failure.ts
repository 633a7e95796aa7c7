/** What the person sees if the app cannot start. */
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

/** Writes a report and shows why the app cannot start. Returns when the person has seen it. */
export function showStartFailure(error: unknown, reports: CrashReports): void {
  const report = reports.write(error);
  const details = report === null ? '' : `\n\nThe details are in ${report}.`;
  dialog.showErrorBox('Muster could not be started', `${reasonOf(error)}${details}`);
}
