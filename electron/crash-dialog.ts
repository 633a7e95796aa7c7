/** Handles an error that nothing caught: it writes a report and lets the person decide what to do next. */
import { app, dialog, shell } from 'electron';
import { reasonOf } from '#platform/error-text.ts';
import type { CrashReports } from './crash-reports.ts';

export interface CrashDialogDeps {
  reports: CrashReports;
  logPath: string;
  log: { fatal(details: object, message: string): void };
  /** Quits the app in order. */
  quit(): unknown;
}

/** Returns the listener for `uncaughtException`. */
export function createCrashDialog({
  reports,
  logPath,
  log,
  quit,
}: CrashDialogDeps): (error: unknown) => void {
  let isAsking = false;
  return (error) => {
    log.fatal({ err: error }, 'the app failed');
    const report = reports.write(error);
    // The log has errors that follow from the first one.
    if (isAsking) return;
    isAsking = true;
    const response = dialog.showMessageBoxSync({
      type: 'error',
      message: 'Muster encountered an unexpected error.',
      detail: `${reasonOf(error)}\n\nThe details are in ${report ?? logPath}.`,
      buttons: ['Restart', 'Open log', 'Continue'],
      defaultId: 0,
      cancelId: 2,
    });
    isAsking = false;
    if (response === 1) void shell.openPath(logPath);
    if (response !== 0) return;
    app.relaunch();
    void quit();
  };
}
