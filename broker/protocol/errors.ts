/**
 * The codes of the API's errors and the error that carries them (specification/api.md#errors). The rule that decides throws it with
 * `refuse`, and http/error-reply.ts writes it. No schema stands here, because store threads load this file and start faster without zod.
 */
import { type Reason, type Refusal, type RefusalParameters, refusalMessage, refusals } from './refusals.ts';

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

/** The meaning of each code for a caller; the generated error reference prints it. */
export const meaningByCode: Record<ErrorCode, string> = {
  bad_request:
    'The request does not fit its schema, or would break a rule of the team. 415 for a wrong content type, 416 for a wrong range.',
  authorization_pending: 'Device enrollment: nobody has decided yet; poll again after the interval.',
  slow_down:
    'Device enrollment: the device polled too soon; the interval is five seconds longer from now on.',
  expired_token: 'Device enrollment: the code is unknown, used, or expired; start again.',
  access_denied:
    'Device enrollment: the device was rejected; errorDescription has the reason that was given.',
  unauthenticated: 'No valid credential came with the request.',
  forbidden: 'The credential is valid, but does not allow this.',
  not_found: 'There is no such thing, or no such path.',
  conflict: 'The name is taken, or the current state does not allow this.',
  gone: 'The resource is archived or finished.',
  payload_too_large: 'The body is larger than this path accepts.',
  rate_limited: 'There were too many attempts; Retry-After has the seconds to wait.',
  internal: 'The broker failed; its log has the cause.',
  unavailable:
    'The broker cannot do this now (starting, stopping, not set up, or its storage is full or broken).',
};

export interface RefusalOptions {
  details?: unknown;
  /** Whole seconds; `rate_limited` always has it. */
  retryAfter?: number;
  /** The reason that a person gave for rejecting a device; only `access_denied` has it. */
  errorDescription?: string | null;
}

interface BrokerErrorOptions extends RefusalOptions {
  reason?: string | null;
  /** Replaces the status of the code. */
  status?: number | undefined;
}

/** The only error class of the API: a code, a reason, and a message for the caller. */
export class BrokerError extends Error {
  override readonly name = 'BrokerError';
  readonly code: ErrorCode;
  /** From the catalog in refusals.ts; null if an older broker, or no broker, answered. */
  readonly reason: string | null;
  readonly status: number;
  readonly details: unknown;
  readonly retryAfter: number | undefined;
  readonly errorDescription: string | null | undefined;

  /** For an error that came from elsewhere: over the wire, or from a store thread. A rule calls `refuse`. */
  constructor(code: ErrorCode, message: string, options: BrokerErrorOptions = {}) {
    super(message);
    this.code = code;
    this.reason = options.reason ?? null;
    this.status = options.status ?? statusByCode[code];
    this.details = options.details;
    this.retryAfter = options.retryAfter;
    this.errorDescription = options.errorDescription;
  }
}

/** The parameters are required exactly if the texts of the reason name any. */
type RefusalArguments<R extends Reason> = [keyof RefusalParameters<R>] extends [never]
  ? [parameters?: Record<string, never>, options?: RefusalOptions]
  : [parameters: RefusalParameters<R>, options?: RefusalOptions];

/** Returns the error for a reason of the catalog, with its code, status, and message. */
export function refusal<R extends Reason>(
  reason: R,
  ...[parameters, options]: RefusalArguments<R>
): BrokerError {
  const { code, status }: Refusal = refusals[reason];
  return new BrokerError(code, refusalMessage(reason, parameters ?? {}), { ...options, reason, status });
}

/** Refuses the request. Throws, so that inside a unit of work it is also the rollback. */
export function refuse<R extends Reason>(reason: R, ...rest: RefusalArguments<R>): never {
  throw refusal(reason, ...rest);
}

/** Whether an error is the broker's refusal for this reason. False for an older broker, which gives no reason. */
export const isRefusedFor = (error: unknown, reason: Reason): boolean =>
  error instanceof BrokerError && error.reason === reason;

/** Whether an older broker answered, which does not know the operation. */
export const isUnknownOperation = (error: unknown): boolean =>
  error instanceof BrokerError && error.status === 404 && [null, 'unknown_path'].includes(error.reason);
