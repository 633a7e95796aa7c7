/** An error whose sentence is for the person: the page shows it, and a dialog does. `code` is one of the wire or of the bridge. */
export class Refusal extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}
