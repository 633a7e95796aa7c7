/**
 * Stops the start with one sentence that says what to do, and leaves files as they were. Exit code 78:
 * configuration; 1: anything else (specification/configuration.md#svcjson).
 */
export class StartUpError extends Error {
  override readonly name = 'StartUpError';
  readonly exitCode: number;

  constructor(message: string, exitCode = 78, options?: ErrorOptions) {
    super(message, options);
    this.exitCode = exitCode;
  }
}
