/**
 * The answers to Codex when it asks for permission and nobody is there: each one denies it in the form of its
 * protocol.
 * Muster's own tools never ask.
 */
const refusals: Readonly<Record<string, object>> = {
  'item/commandExecution/requestApproval': { decision: 'decline' },
  'item/fileChange/requestApproval': { decision: 'decline' },
  'item/permissions/requestApproval': { permissions: {}, scope: 'turn' },
  'item/tool/requestUserInput': { answers: {} },
  'mcpServer/elicitation/request': { action: 'decline', content: null, _meta: null },
  execCommandApproval: { decision: { denied: { rejection: 'nobody is there to approve this' } } },
  applyPatchApproval: { decision: { denied: { rejection: 'nobody is there to approve this' } } },
};

/** Null for requests that ask for something other than permission. */
export const refusalOf = (method: string): object | null =>
  Object.hasOwn(refusals, method) ? (refusals[method] ?? null) : null;
