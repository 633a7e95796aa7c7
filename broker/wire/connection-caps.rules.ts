/** The rules for connecting when many clients are connected (specification/api.md#connections). */

export interface Caps {
  /** Connections at a time. */
  all: number;
  /** Of one source (`sourceKey`). */
  perSource: number;
  /** Of all, those that only exempt sources may use. */
  reserved: number;
}

/** The facts that decide about a connection that is open. */
export interface Standing {
  /** A request on it had a valid credential. */
  isAuthenticated: boolean;
  /** Requests on it that wait for their answer. */
  unanswered: number;
}

export interface Newcomer {
  /** Its source has no limit of its own and may use the reserve. */
  isExempt: boolean;
  /** Connections that its source has already. */
  ofSource: number;
}

export type Verdict = 'admit' | 'make room' | 'too many of the source';

/** `make room`: it comes in if a connection can be closed for it. */
export function verdictOn({ isExempt, ofSource }: Newcomer, open: number, caps: Caps): Verdict {
  if (!isExempt && ofSource >= caps.perSource) return 'too many of the source';
  return open < caps.all - (isExempt ? 0 : caps.reserved) ? 'admit' : 'make room';
}

const isIdleStranger = ({ isAuthenticated, unanswered }: Standing) => !isAuthenticated && unanswered === 0;
const isStranger = ({ isAuthenticated }: Standing) => !isAuthenticated;
const isIdle = ({ unanswered }: Standing) => unanswered === 0;

/**
 * Returns the connection that makes room: one without a credential and without a request, then one without a
 * credential, then one without a request, and of these the oldest. Undefined if all have a credential and a
 * request, as live streams do. `open`: the oldest first.
 */
export function leastNeeded<S extends Standing>(open: Iterable<S>): S | undefined {
  const connections = [...open];
  return connections.find(isIdleStranger) ?? connections.find(isStranger) ?? connections.find(isIdle);
}
