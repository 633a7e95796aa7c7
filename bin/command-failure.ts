/** The command could not do what it was asked: exit code 1 and one line that says what to do next (D16). */
export class CommandFailure extends Error {
  override readonly name = 'CommandFailure';
}
