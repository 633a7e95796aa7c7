/** Versions of agents, as numbers with dots. Pure. */

/** Returns the first version in a text, such as `codex-cli 0.169.0`; null if there is none. */
export const versionIn = (text: string): string | null => /\d+(?:\.\d+)+/.exec(text)?.[0] ?? null;

/** Whether a version comes before another; missing parts count as 0. */
export function isOlder(version: string, than: string): boolean {
  const [left, right] = [version, than].map((one) => one.split('.').map(Number)) as [number[], number[]];
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    const [a, b] = [left[at] ?? 0, right[at] ?? 0];
    if (a !== b) return a < b;
  }
  return false;
}
