/**
 * Paths and their parts. Every path here has passed FsPath. The paths below a directory are a range,
 * never a pattern.
 */
import { limits } from '#protocol/limits.ts';

export const rootPath = '/';
const separator = '/';
/** The character after the separator: `/a/` up to `/a0`, which is excluded, is everything below `/a`. */
const afterSeparator = '0';

const { segmentBytes, characters } = limits.fsPath;

export const homeOf = (member: string): string => `/${member}`;

/** Returns the member in whose home the path is; `system` for the root. */
export const ownerOf = (path: string): string => (path === rootPath ? 'system' : (path.split('/')[1] ?? ''));

export const nameOf = (path: string): string =>
  path === rootPath ? path : path.slice(path.lastIndexOf(separator) + 1);

/** Empty for the root. */
export const parentOf = (path: string): string =>
  path === rootPath ? '' : path.slice(0, path.lastIndexOf(separator)) || rootPath;

/** False for the root and for homes, which only the broker creates. */
export const isInsideHome = (path: string): boolean => path.indexOf(separator, 1) > 0;

/** Returns the directories above a path, from its home down; none for a home and the root. */
export function ancestorsOf(path: string): string[] {
  const found: string[] = [];
  for (let at = path.indexOf(separator, 1); at > 0; at = path.indexOf(separator, at + 1))
    found.push(path.slice(0, at));
  return found;
}

/** Everything below a directory lies strictly between the two. */
export function rangeBelow(directory: string): { from: string; to: string } {
  const base = directory === rootPath ? '' : directory;
  return { from: base + separator, to: base + afterSeparator };
}

/** Returns the child of `directory` that `path`, which lies below it, is or is in. */
export function childTowards(directory: string, path: string): string {
  const start = directory === rootPath ? 1 : directory.length + 1;
  const end = path.indexOf(separator, start);
  return end < 0 ? path : path.slice(0, end);
}

/**
 * `/a/foo.txt` → `/a/foo-1.txt`: before the last extension; a leading dot begins no extension. Null if the
 * name becomes too long.
 */
export function numberedPath(path: string, n: number): string | null {
  const name = nameOf(path);
  const dot = name.lastIndexOf('.');
  const stem = dot > 0 ? name.slice(0, dot) : name;
  const numbered = `${stem}-${n}${name.slice(stem.length)}`;
  const result = path.slice(0, path.length - name.length) + numbered;
  const fits = new TextEncoder().encode(numbered).length <= segmentBytes && [...result].length <= characters;
  return fits ? result : null;
}

const maxTried = 32;

/**
 * Returns a free number from 1 up, usually the first. After many taken ones it may skip gaps, so that a long
 * series of names is not walked each time.
 */
export function firstFree(isTaken: (n: number) => boolean): number {
  for (let n = 1; n <= maxTried; n++) if (!isTaken(n)) return n;
  let taken = maxTried;
  let free = maxTried * 2;
  while (isTaken(free)) {
    taken = free;
    free *= 2;
  }
  while (free - taken > 1) {
    const middle = Math.floor((taken + free) / 2);
    if (isTaken(middle)) taken = middle;
    else free = middle;
  }
  return free;
}

/**
 * Compares as SQLite orders text, by its bytes in UTF-8: like UTF-16 units, except that surrogates come last.
 */
export function byBytes(a: string, b: string): number {
  const end = Math.min(a.length, b.length);
  for (let at = 0; at < end; at++) {
    const [x, y] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (x !== y) return rank(x) - rank(y);
  }
  return a.length - b.length;
}

const rank = (unit: number): number => (unit >= 0xd800 && unit < 0xe000 ? unit + 0x10000 : unit);
