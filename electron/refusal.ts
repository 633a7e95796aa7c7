/**
 * An error whose message is for the person; a page or a dialog shows it. `code` is a code of the API or of
 * the bridge.
 */
export class Refusal extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}
