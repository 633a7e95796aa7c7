/**
 * Every error the API can answer, in one table (specification "Errors", D1).
 * A refusal is thrown as a BrokerError from wherever the rule is decided; http/error-reply.ts writes it. No schema here: store threads
 * load this file, and start faster without zod.
 */

export const statusByCode = {
  bad_request: 400,
  authorization_pending: 400,
  slow_down: 400,
  expired_token: 400,
  access_denied: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  gone: 410,
  payload_too_large: 413,
  rate_limited: 429,
  internal: 500,
  unavailable: 503,
} as const;

export type ErrorCode = keyof typeof statusByCode;

/** What each code means to a caller; the generated error reference prints it. */
export const meaningByCode: Record<ErrorCode, string> = {
  bad_request:
    'The request does not fit its schema, or would break a rule of the team. 415 for a wrong content type.',
  authorization_pending: 'Device enrolment: nobody has decided yet; poll again after the interval.',
  slow_down: 'Device enrolment: polled too soon; the interval has grown by five seconds.',
  expired_token: 'Device enrolment: the code is unknown, used or expired; start again.',
  access_denied: 'Device enrolment: rejected; errorDescription has the reason.',
  unauthenticated: 'No valid credential came with the request.',
  forbidden: 'The credential is valid, but does not allow this.',
  not_found: 'There is no such thing, or no such path.',
  conflict: 'The name is taken, or the present state does not allow this.',
  gone: 'It is archived or finished and takes no more of this.',
  payload_too_large: 'The body is larger than this path accepts.',
  rate_limited: 'Too many tries; Retry-After says how many seconds to wait.',
  internal: 'The broker failed; its log has the cause.',
  unavailable:
    'The broker cannot do this now (starting, stopping, not set up, or its storage is full or broken).',
};

export interface RefusalOptions {
  details?: unknown;
  /** Whole seconds; `rate_limited` always has it. */
  retryAfter?: number;
  /** The reason of a rejected enrollment; only `access_denied` has it. */
  errorDescription?: string | null;
  /** Overrides the table: only 415 does, for a wrong content type. */
  status?: number;
}

/** The only error class of the API: a code, a reason, and one sentence for the caller. */
export class BrokerError extends Error {
  override readonly name = 'BrokerError';
  readonly code: ErrorCode;
  readonly status: number;
  readonly details: unknown;
  readonly retryAfter: number | undefined;
  readonly errorDescription: string | null | undefined;

  constructor(code: ErrorCode, message: string, options: RefusalOptions = {}) {
    super(message);
    this.code = code;
    this.status = options.status ?? statusByCode[code];
    this.details = options.details;
    this.retryAfter = options.retryAfter;
    this.errorDescription = options.errorDescription;
  }
}

/** Refuses the request. Throws, so that inside a unit of work it is also the rollback. */
export function refuse(code: ErrorCode, message: string, options?: RefusalOptions): never {
  throw new BrokerError(code, message, options);
}
