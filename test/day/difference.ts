/** Says what is wrong with a view: what is missing, what is repeated, and what should not be there. */
import { isDeepStrictEqual } from 'node:util';

const named = (labels: readonly string[]): string =>
  labels.length <= 10
    ? labels.join(', ')
    : `${labels.slice(0, 10).join(', ')}, and ${labels.length - 10} more`;

const areLabels = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

/** Returns one sentence or more about two lists of labels; `null` if they are equal. */
export function listDifference(expected: readonly string[], actual: readonly string[]): string | null {
  const wanted = new Set(expected);
  const present = new Set(actual);
  const times = new Map<string, number>();
  for (const label of actual) times.set(label, (times.get(label) ?? 0) + 1);
  const lost = expected.filter((label) => !present.has(label));
  const foreign = actual.filter((label) => !wanted.has(label));
  const repeated = [...times].flatMap(([label, count]) => (count > 1 && wanted.has(label) ? [label] : []));
  const faults = [
    ...(lost.length > 0 ? [`lost: ${named(lost)}`] : []),
    ...(repeated.length > 0 ? [`repeated: ${named(repeated)}`] : []),
    ...(foreign.length > 0 ? [`shown to the wrong member: ${named(foreign)}`] : []),
  ];
  if (faults.length > 0) return faults.join('; ');
  const at = expected.findIndex((label, index) => actual[index] !== label);
  return at === -1 ? null : `in another order: ${actual[at]} instead of ${expected[at]} at ${at}`;
}

/** Lists of labels are compared label by label, also the first of a pair; everything else is shown whole. */
export function difference(expected: unknown, actual: unknown): string {
  const [labels, ...rest] = areLabels(expected) || !Array.isArray(expected) ? [expected] : expected;
  const [seen, ...restSeen] = areLabels(actual) || !Array.isArray(actual) ? [actual] : actual;
  if (areLabels(labels) && areLabels(seen) && isDeepStrictEqual(rest, restSeen)) {
    const found = listDifference(labels, seen);
    if (found !== null) return found;
  }
  return `must be ${JSON.stringify(expected)}\n  but is  ${JSON.stringify(actual)}`;
}
