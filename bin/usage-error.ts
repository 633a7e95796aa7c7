/** The command was written wrongly: exit code 64 and one line that says what to write (D16). */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
