/** Spans of the SDK behind the broker's own interface. */
import {
  ROOT_CONTEXT,
  type Span as SdkSpan,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { Span, SpanStart } from '../runtime/tracing.ts';
import { parseTraceParent } from './trace-parent.rules.ts';

/** One request must not push the spans of the others out of the queue. */
const maxChildren = 100;

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL };

/**
 * Turns times of `performance.now()` into epoch ms. A trace keeps the one of its first span, so that a clock that
 * is set meanwhile does not tear it apart.
 */
type ToEpoch = (at: number) => number;

/** Null if it is not sampled. */
export function beginTrace(tracer: Tracer, start: SpanStart): Span | null {
  const offset = Date.now() - performance.now();
  return startSpan(tracer, start, {
    parent: null,
    startedAt: performance.now(),
    toEpoch: (at) => at + offset,
  });
}

interface Place {
  parent: SdkSpan | null;
  startedAt: number;
  toEpoch: ToEpoch;
}

function startSpan(tracer: Tracer, { name, kind, facts }: SpanStart, place: Place): Span | null {
  const { parent, startedAt, toEpoch } = place;
  const span = tracer.startSpan(
    name,
    { kind: kinds[kind], attributes: facts, startTime: toEpoch(startedAt) },
    parent === null ? ROOT_CONTEXT : trace.setSpan(ROOT_CONTEXT, parent),
  );
  if (!span.isRecording()) return null;
  let children = 0;
  return {
    logIds() {
      const { traceId, spanId } = span.spanContext();
      return { trace_id: traceId, span_id: spanId };
    },
    set(more) {
      if (span.isRecording()) span.setAttributes(more);
    },
    link(traceparent) {
      const found = parseTraceParent(traceparent);
      if (found === null || !span.isRecording()) return;
      const { traceId, spanId, isSampled } = found;
      const traceFlags = isSampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
      span.addLink({ context: { traceId, spanId, traceFlags, isRemote: true } });
    },
    child(start, at = performance.now()) {
      if (!span.isRecording()) return null;
      children += 1;
      if (children > maxChildren) return null;
      return startSpan(tracer, start, { parent: span, startedAt: at, toEpoch });
    },
    end(fault) {
      if (!span.isRecording()) return;
      if (children > maxChildren) span.setAttribute('muster.spans_left_out', children - maxChildren);
      if (fault !== undefined) {
        span.setAttribute('error.type', fault);
        span.setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end(toEpoch(performance.now()));
    },
  };
}
