/**
 * The states of a message in transit that can be known, weakest first; `offered` and above are evidence of an agent's
 * runner (specification/receipts.md#states). Separate from the schemas, because store threads compare them
 * and start faster without zod.
 */
export const receiptStates = [
  'stored',
  'delivered',
  'read',
  'offered',
  'accepted',
  'in_context',
  'answered',
] as const;
