/**
 * The kind of fault between a client and its broker. The first five may pass by themselves; the others need a
 * person.
 */
export type ConnectionReason =
  | 'refused'
  | 'unreachable'
  | 'broken'
  | 'timeout'
  | 'not a broker'
  | 'tls'
  | 'address'
  | 'token'
  | 'cache';

/** One sentence that says what is wrong (`fault`) and what to do (`remedy`). It never contains a token. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  readonly reason: ConnectionReason;
  readonly fault: string;
  readonly remedy: string | null;

  constructor(reason: ConnectionReason, fault: string, remedy: string | null = null) {
    super(remedy === null ? fault : `${fault}; ${remedy}`);
    this.reason = reason;
    this.fault = fault;
    this.remedy = remedy;
  }

  /** Whether the request may have reached the broker although no answer came back. */
  get mayHaveArrived(): boolean {
    return this.reason === 'broken' || this.reason === 'timeout';
  }
}
