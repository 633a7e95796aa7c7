/** Requests of the broker to others, as spans. They carry no address, because members choose those of pushes. */
import { type Outbound, OutboundError } from './outbound-fetch.ts';
import { requestScope } from './request-scope.ts';
import type { Span, SpanStart, Tracing } from './tracing.ts';

/** Nothing is sent along: other services learn nothing of the broker's traces (ADR 0037). */
export function traceOutbound(outbound: Outbound, tracing: Tracing): Outbound {
  function begin(start: SpanStart, isOfRequest: boolean): Span | null {
    const scope = isOfRequest ? requestScope.getStore() : undefined;
    return scope === undefined ? tracing.begin(start) : (scope.span?.child(start) ?? null);
  }
  return {
    faultOf: outbound.faultOf,
    async send(url, request) {
      const { method = 'GET', purpose } = request;
      const facts = { 'http.request.method': method, 'muster.purpose': purpose };
      // A queue sends pushes, and the keys are for all requests that wait for them.
      const isOfRequest = purpose === 'platform_connect';
      const span = begin({ name: `${method} ${purpose}`, kind: 'client', facts }, isOfRequest);
      try {
        const reply = await outbound.send(url, request);
        span?.set({ 'http.response.status_code': reply.status });
        span?.end(reply.status >= 400 ? String(reply.status) : undefined);
        return reply;
      } catch (error) {
        span?.end(error instanceof OutboundError && error.refused ? 'refused' : 'no_reply');
        throw error;
      }
    },
  };
}
