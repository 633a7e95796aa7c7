/**
 * The command was written incorrectly: exit code 64 and one line that says what to write
 * (specification/command-line.md#conventions). A message without a final period or question mark gets a hint at
 * the help page.
 */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
