/** Start-up stops with one sentence that says what to do, leaving files as they were (D15). Exit code 78: configuration; 1: else. */
export class StartUpError extends Error {
  override readonly name = 'StartUpError';
  readonly exitCode: number;

  constructor(message: string, exitCode = 78, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}
