/** In the order in which the inbox shows them. Apart from the schemas, so that the console needs no zod for it. */
export const inboxKinds = [
  'critical',
  'agent',
  'device',
  'held',
  'mention',
  'direct',
  'blocked',
  'result',
] as const;
