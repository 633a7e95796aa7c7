/** What the person sees if the app cannot start. */
import { dialog } from 'electron';
import { reasonOf } from '#platform/error-text.ts';
import type { CrashReports } from './crash-reports.ts';

/** Writes a report and shows why the app cannot start. Returns when the person has seen it. */
export function showStartFailure(error: unknown, reports: CrashReports): void {
  const report = reports.write(error);
  const details = report === null ? '' : `\n\nThe details are in ${report}.`;
  dialog.showErrorBox('Muster could not be started', `${reasonOf(error)}${details}`);
}
