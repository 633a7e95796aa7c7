/** The reason in a caught value: its message for a person, or the system's code. */

/** Returns the message of an error, or the text of anything else that was thrown. Never throws. */
export function reasonOf(error: unknown): string {
  if (error instanceof Error) return error.message;
  try {
    return String(error);
  } catch {
    return 'an unknown error';
  }
}

/** Returns the system's error code, such as `ENOENT`; undefined if there is none. */
export function codeOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Returns the system's error code for a sentence; `unknown error` if there is none. */
export const codeText = (error: unknown): string => codeOf(error) ?? 'unknown error';
