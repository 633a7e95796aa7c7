/**
 * The interface through which the broker reports its work to a tracing backend. Only `broker/tracing/` knows the SDK
 * behind it, and the whole of it is absent unless an endpoint is configured (specification/diagnostics.md#traces).
 */

/** Attributes of a span. They never contain a name, an id, a text, or a part of a URL that a client chose. */
export type SpanFacts = Readonly<Record<string, string | number | boolean>>;

export interface SpanStart {
  /** One of few fixed names. */
  name: string;
  kind: 'server' | 'client' | 'internal';
  facts: SpanFacts;
}

/** A span that is exported. Work that is not sampled has none. */
export interface Span {
  /** Returns the ids for a log line, as a new object each time. */
  logIds(): { trace_id: string; span_id: string };
  set(facts: SpanFacts): void;
  /** Refers to another trace, from a `traceparent` header; anything else than a valid one is ignored. */
  link(traceparent: string): void;
  /**
   * Starts a span inside this one, now or at `startedAt` (of `performance.now()`). Null once this one has ended,
   * or has as many as it may have.
   */
  child(start: SpanStart, startedAt?: number): Span | null;
  /** Call it once; later calls do nothing. `fault` is a fixed word for what failed. */
  end(fault?: string): void;
}

export interface Tracing {
  /** Starts a trace. Null if it is not sampled. */
  begin(start: SpanStart): Span | null;
  /** Sends what is left within a short limit. Never rejects. */
  close(): Promise<void>;
}
