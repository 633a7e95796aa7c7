/** When a member had an objective open, from its markers (specification/activity.md#query). */

export interface Marker {
  ts: number;
  kind: 'objective_open' | 'objective_close';
}

/** Both ends are inclusive, by `ts`. */
export interface Span {
  from: number;
  to: number;
}

/**
 * Yields the spans within `range`, newest first and apart from each other. A span begins with an open and
 * ends with the next close; another open in between and another close after it change nothing. A close
 * without an open ends a span that began before everything that is kept. `markers`: those up to `range.to`,
 * newest first; they are read only as far as needed. `next`: the first one after `range.to`.
 */
export function* spansNewestFirst(
  markers: Iterable<Marker>,
  next: Marker | undefined,
  range: Span,
): Generator<Span> {
  let ceiling = range.to;
  let end: number | null = null;
  let start: number | null = null;
  const within = (from: number, to: number): Span[] => {
    const span = { from: Math.max(from, range.from), to: Math.min(to, ceiling) };
    ceiling = Math.min(ceiling, from - 1);
    return span.from <= span.to ? [span] : [];
  };
  let hasMarkers = false;
  for (const { ts, kind } of markers) {
    hasMarkers = true;
    if (kind === 'objective_open') {
      end ??= range.to;
      start = ts;
    } else {
      if (end !== null && start !== null) {
        yield* within(start, end);
        start = null;
      }
      end = ts;
    }
    if (ts >= range.from) continue;
    if (start !== null && end !== null) yield* within(start, end);
    return;
  }
  if (!hasMarkers && next?.kind === 'objective_close') end = range.to;
  if (end !== null) yield* within(start ?? 0, end);
}
