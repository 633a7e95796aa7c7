/**
 * The headers of every response, also of those that Node sends before Fastify sees the request
 * (specification/api.md#browser-guards).
 */
import { limits } from '#protocol/limits.ts';

export const commonHeaders: Record<string, string> = {
  'x-svc-protocol': String(limits.protocolVersion),
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  // No browser keeps on disk what members wrote. The console's own files replace this.
  'cache-control': 'no-store',
};
