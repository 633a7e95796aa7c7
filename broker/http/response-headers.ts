/** Headers of every response (D1), also of those that Node answers before Fastify sees the request. */
import { limits } from '#protocol/limits.ts';

export const commonHeaders: Record<string, string> = {
  'x-svc-protocol': String(limits.protocolVersion),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
};
