/**
 * A span for each request, by the conventions of OpenTelemetry for HTTP servers, except that nothing of it is what
 * a client chose: no path, query, header, or name (specification/diagnostics.md#traces).
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Span, Tracing } from '../runtime/tracing.ts';
import { publicAddress } from './public-address.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Null if the request is not traced. */
    span: Span | null;
  }
}

const knownMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

function beginSpan(tracing: Tracing, request: FastifyRequest): Span | null {
  const { url: route } = request.routeOptions;
  const method = knownMethods.includes(request.method) ? request.method : '_OTHER';
  const shown = method === '_OTHER' ? 'HTTP' : method;
  const { localPort } = request.raw.socket;
  return tracing.begin({
    name: route === undefined ? shown : `${shown} ${route}`,
    kind: 'server',
    facts: {
      'http.request.method': method,
      'url.scheme': publicAddress(request).scheme,
      ...(route !== undefined && { 'http.route': route }),
      ...(localPort !== undefined && { 'server.port': localPort }),
    },
  });
}

/** `isAborted`: the connection ended before the reply did. */
function endSpan(span: Span, { raw: response }: FastifyReply, isAborted: boolean): void {
  const { headersSent, statusCode } = response;
  if (headersSent) span.set({ 'http.response.status_code': statusCode });
  if (isAborted) span.set({ 'muster.aborted': true });
  span.end(headersSent && statusCode >= 500 ? String(statusCode) : undefined);
}

/** A stream stays open for hours, so its span ends when it has opened. */
export function endStreamSpan({ span }: FastifyRequest, reply: FastifyReply): void {
  if (span === null) return;
  span.set({ 'muster.stream': true });
  endSpan(span, reply, false);
}

/** Call it before other hooks are added. Null: requests have no spans. */
export function traceRequests(app: FastifyInstance, tracing: Tracing | null): void {
  app.decorateRequest('span', null);
  if (tracing === null) return;
  app.addHook('onRequest', (request, reply, done) => {
    const span = beginSpan(tracing, request);
    request.span = span;
    if (span !== null)
      reply.raw
        .once('finish', () => endSpan(span, reply, false))
        .once('close', () => endSpan(span, reply, !reply.raw.writableFinished));
    done();
  });
}
