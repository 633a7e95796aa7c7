/** Tells the person that something they asked for did not work. */
import { dialog } from 'electron';
import { reasonOf } from '#platform/error-text.ts';

export interface FailureLog {
  warn(details: object, message: string): void;
}

/**
 * Returns the handler of a rejection. It does not wait for the answer, because a box that does would stop the
 * broker, which runs in this process.
 */
export const tellFailure =
  (log: FailureLog, title: string) =>
  (error: unknown): void => {
    log.warn({ err: error }, title);
    dialog
      .showMessageBox({ type: 'error', message: title, detail: reasonOf(error), buttons: ['OK'] })
      .catch((failure: unknown) => log.warn({ err: failure }, 'the failure could not be shown'));
  };
