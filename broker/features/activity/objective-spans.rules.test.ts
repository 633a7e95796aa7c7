import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Marker, type Span, spansNewestFirst } from './objective-spans.rules.ts';

const end = 30;

/** Whether a moment is inside a span, by walking forward: the meaning that the backward walk must have. */
function isInside(markers: readonly Marker[], moment: number): boolean {
  let openSince: number | null = markers[0]?.kind === 'objective_close' ? 0 : null;
  for (const { ts, kind } of markers) {
    if (kind === 'objective_open') openSince ??= ts;
    else if (openSince !== null) {
      if (moment >= openSince && moment <= ts) return true;
      openSince = null;
    }
  }
  return openSince !== null && moment >= openSince;
}

const spansOf = (markers: readonly Marker[], range: Span): Span[] => [
  ...spansNewestFirst(
    markers.filter(({ ts }) => ts <= range.to).toReversed(),
    markers.find(({ ts }) => ts > range.to),
    range,
  ),
];

describe('the open–close spans of an objective', () => {
  const all = { from: 0, to: end };
  const open = (ts: number): Marker => ({ ts, kind: 'objective_open' });
  const close = (ts: number): Marker => ({ ts, kind: 'objective_close' });
  it.each<[string, Marker[], Span[]]>([
    ['none without a marker', [], []],
    ['from an open to the next close', [open(3), close(7)], [{ from: 3, to: 7 }]],
    ['up to now while it is open', [open(3)], [{ from: 3, to: end }]],
    [
      'newest first',
      [open(1), close(2), open(5), close(6)],
      [
        { from: 5, to: 6 },
        { from: 1, to: 2 },
      ],
    ],
    ['one when it is opened twice', [open(1), open(3), close(6)], [{ from: 1, to: 6 }]],
    ['up to the first of two closes', [open(1), close(3), close(6)], [{ from: 1, to: 3 }]],
    ['from the beginning when its open is pruned', [close(4)], [{ from: 0, to: 4 }]],
  ])('are %s', (_, markers, spans) => {
    expect(spansOf(markers, all)).toEqual(spans);
  });

  it('contain exactly the moments between an open and the next close, apart and newest first, in any range', () => {
    const moment = fc.integer({ min: 0, max: end });
    const marker = fc.record({
      ts: moment,
      kind: fc.constantFrom<Marker['kind']>('objective_open', 'objective_close'),
    });
    fc.assert(
      fc.property(fc.array(marker, { maxLength: 10 }), moment, moment, (given, a, b) => {
        const markers = given.toSorted((one, other) => one.ts - other.ts);
        const range = { from: Math.min(a, b), to: Math.max(a, b) };
        const spans = spansOf(markers, range);
        for (let at = 0; at <= end; at++) {
          const holding = spans.filter(({ from, to }) => from <= at && at <= to);
          const expected = at >= range.from && at <= range.to && isInside(markers, at);
          expect(holding.length, `at ${at} of ${JSON.stringify(spans)}`).toBe(expected ? 1 : 0);
        }
        for (const [index, { to }] of spans.slice(1).entries()) expect(to).toBeLessThan(spans[index]!.from);
      }),
      { numRuns: 2000 },
    );
  });
});
