/**
 * The command could not do what it was asked to do: exit code 1 and one line that says what to do next
 * (specification/command-line.md#conventions).
 */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
}
