/**
 * Handles an error that nothing caught: it writes a report, tells the person, and ends the app with exit code
 * 1. Without it, a rejected promise would end in a warning that nobody reads.
 */
import { dialog } from 'electron';
import { reasonOf } from '#platform/error-text.ts';
import type { CrashReports } from './crash-reports.ts';
import type { Quitting } from './quitting/quitting.ts';

export interface CrashDialogDeps {
  reports: CrashReports;
  logPath: string;
  log: { fatal(details: object, message: string): void };
  quitting: Pick<Quitting, 'quit' | 'hasBegun'>;
  /** Starts the app again after it has ended. */
  relaunch(): void;
}

/** Returns the listener for `uncaughtException` and `unhandledRejection`. */
export function createCrashDialog({
  reports,
  logPath,
  log,
  quitting,
  relaunch,
}: CrashDialogDeps): (error: unknown) => void {
  let isAsking = false;

  async function ask(error: unknown, details: string): Promise<void> {
    const { response } = await dialog.showMessageBox({
      type: 'error',
      message: 'Muster encountered an unexpected error.',
      detail: `${reasonOf(error)}\n\nThe details are in ${details}.`,
      buttons: ['Restart', 'Quit'],
      defaultId: 0,
      cancelId: 0,
    });
    if (response === 0) relaunch();
  }

  return (error) => {
    log.fatal({ err: error }, 'the app failed');
    const report = reports.write(error);
    // The log and the reports have errors that follow from the first one, and those of an app that is ending.
    if (isAsking || quitting.hasBegun) return;
    isAsking = true;
    // Until somebody answers, the broker goes on serving the team.
    ask(error, report ?? logPath)
      .catch((failure: unknown) => log.fatal({ err: failure }, 'the app could not be started again'))
      .then(() => quitting.quit({ code: 1 }));
  };
}
