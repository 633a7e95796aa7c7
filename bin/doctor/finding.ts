/** The findings of `muster doctor`, one line each. */
import { ConnectionError } from '#client/connection-error.ts';

/** One line of `muster doctor`. */
export interface Finding {
  check: string;
  /** `skip`: was not tested, for the reason in `detail`. */
  status: 'ok' | 'warn' | 'fail' | 'skip';
  /** The result of the check. */
  detail: string;
  /** The action to take. */
  remedy?: string;
}

export const ok = (check: string, detail: string): Finding => ({ check, status: 'ok', detail });
export const warn = (check: string, detail: string, remedy: string): Finding => ({
  check,
  status: 'warn',
  detail,
  remedy,
});
export const fail = (check: string, detail: string, remedy: string): Finding => ({
  check,
  status: 'fail',
  detail,
  remedy,
});
export const skip = (check: string, detail: string): Finding => ({ check, status: 'skip', detail });

/** `remedy` is for errors that name none themselves. */
export const failed = (check: string, error: Error, remedy: string): Finding =>
  error instanceof ConnectionError
    ? fail(check, error.fault, error.remedy ?? remedy)
    : fail(check, error.message, remedy);
