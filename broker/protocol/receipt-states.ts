/**
 * What can be known of a message on its way, weakest first; `offered` and above are evidence of an agent's runner (D19). Apart from the
 * schemas, because store threads compare them and start faster without zod.
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
