/**
 * Headers in transit: all as they came, in their order, except those that belong to one connection only (RFC
 * 9110, 7.6.1).
 */
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  // Answered by the gateway itself.
  'expect',
]);

/** Names and values in turn, as in Node's raw headers. */
export function pairsOf(raw: readonly string[]): [string, string][] {
  const pairs: [string, string][] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) pairs.push([raw[at] ?? '', raw[at + 1] ?? '']);
  return pairs;
}

export function forwardedHeaders(raw: readonly string[], dropped: readonly string[] = []): string[] {
  const pairs = pairsOf(raw);
  const named = pairs
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) =>
      value
        .toLowerCase()
        .split(',')
        .map((name) => name.trim()),
    );
  const left = new Set([...hopByHop, ...named, ...dropped]);
  return pairs.filter(([name]) => !left.has(name.toLowerCase())).flat();
}

/** By lower-case name; repeated ones as a list. */
export function headersByName(raw: readonly string[]): Record<string, string | string[]> {
  const valuesByName = new Map<string, string[]>();
  for (const [name, value] of pairsOf(raw)) {
    const lower = name.toLowerCase();
    valuesByName.set(lower, [...(valuesByName.get(lower) ?? []), value]);
  }
  return Object.fromEntries(
    [...valuesByName].map(([name, all]) => [name, all.length === 1 ? (all[0] ?? '') : all]),
  );
}
