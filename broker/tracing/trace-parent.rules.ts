/** The header `traceparent` of W3C Trace Context (https://www.w3.org/TR/trace-context/#traceparent-header). */

export interface TraceParent {
  /** 32 and 16 lower-case hexadecimal digits, not only zeros. */
  traceId: string;
  spanId: string;
  isSampled: boolean;
}

/** Returns null for anything that is not a valid header of version 00, the only one that exists. */
export function parseTraceParent(header: string): TraceParent | null {
  const [, traceId, spanId, flags] = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/.exec(header) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return null;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return null;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}
