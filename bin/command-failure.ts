/**
 * The command failed: exit code 1 and one line that says what to do next
 * (specification/command-line.md#conventions).
 */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
}
