/**
 * The command was written incorrectly: exit code 64 and one line that says what to write
 * (specification/command-line.md#conventions).
 */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
