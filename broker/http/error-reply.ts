/**
 * How an error becomes a reply: always `{ error, message, reason, details? }` (specification/api.md#errors).
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ErrorReply } from '#protocol/error-reply.ts';
import { BrokerError, refusal } from '#protocol/errors.ts';
import type { Log } from '../runtime/log.ts';
import { sendJson } from './send-json.ts';

/**
 * Fastify's own refusals in the words of the API. Everything else with a 4xx status becomes a plain
 * bad_request.
 */
function ofFastify(
  error: Error & { code?: string; statusCode?: number },
  takesAnyType: boolean,
): BrokerError | null {
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    return refusal(takesAnyType ? 'invalid_content_type' : 'wrong_content_type');
  }
  // The only method for which Fastify itself asks for a content type; no path here has it.
  if (error.code === 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE') return refusal('unknown_path');
  if (error.code === 'FST_ERR_BAD_URL') return refusal('invalid_url');
  if (error.statusCode !== undefined && error.statusCode < 500) return refusal('malformed_request');
  return null;
}

export function errorBody(error: BrokerError): ErrorReply {
  return {
    error: error.code,
    message: error.message,
    ...(error.reason !== null && { reason: error.reason }),
    ...(error.details !== undefined && { details: error.details }),
    ...(error.errorDescription !== undefined && { errorDescription: error.errorDescription }),
  };
}

/** `takesAnyType`: for paths whose body is bytes of any content type. */
export function createErrorHandler(log: Log, takesAnyType = false) {
  return (
    error: Error & { code?: string; statusCode?: number },
    request: FastifyRequest,
    reply: FastifyReply,
  ): void => {
    let refused = error instanceof BrokerError ? error : ofFastify(error, takesAnyType);
    if (refused === null) {
      log.error(
        {
          err: error,
          route: request.routeOptions.url,
          method: request.method,
          // Outside the scope of the request.
          ...request.span?.logIds(),
        },
        'a request failed',
      );
      refused = refusal('internal_error');
    }
    if (refused.reason !== null) request.span?.set({ 'muster.refusal': refused.reason });
    if (refused.code === 'unauthenticated') reply.header('www-authenticate', 'Bearer');
    if (refused.retryAfter !== undefined) reply.header('retry-after', String(refused.retryAfter));
    // Fastify closes after a body that it could not read. This reader discards the rest, so the connection
    // stays usable (specification/api.md#body-limits), unless it must be closed for another reason.
    if (request.headers.upgrade === undefined && reply.hasHeader('connection'))
      reply.removeHeader('connection');
    sendJson(reply, refused.status, JSON.stringify(errorBody(refused)));
  };
}
