/**
 * The words of the contract, in the order in which they are listed: statuses, levels, kinds, policies, and the names
 * of headers. The schemas are made from these lists. This file loads no zod, because the console shows the words
 * and does not check what the broker sends.
 */

/** @see Level in message.ts */
export const levels = ['debug', 'info', 'notice', 'warning', 'error', 'critical'] as const;

/** The type of `data.event` in the notice of a change (specification/messages.md#changes). */
export const messageEvents = { edited: 'message.edited', deleted: 'message.deleted' } as const;

/** In place of the text of a deleted message, because every message has a text. */
export const deletedBody = 'This message was deleted.';

/** @see ObjectiveStatus in objective.ts */
export const objectiveStatuses = ['active', 'blocked', 'done', 'cancelled'] as const;

/** @see ActivityKind in activity.ts */
export const activityKinds = ['objective_open', 'objective_close', 'llm_exchange', 'opaque_http'] as const;

/** @see WakePolicy in member.ts */
export const wakePolicies = ['all', 'default', 'mentions'] as const;

/** @see MemberKind in member-kind.ts */
export const memberKinds = ['person', 'agent'] as const;

export const setupKeyHeader = 'x-svc-setup-key';

/**
 * The header with the secret of a bound session. A browser sends the cookie to every port of the host, and this
 * header nowhere by itself (ADR 0029).
 */
export const sessionSecretHeader = 'x-svc-session-secret';
