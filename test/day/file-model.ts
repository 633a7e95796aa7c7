/** Files: who may do what with a path, and who reads it because of which attachment. */
import { type Day, distinct, type FileNode, inChannel, inThread, isManager } from './day-state.ts';

export type FileStep =
  | { kind: 'write'; by: string; path: string; collide: 'error' | 'overwrite' | 'suffix'; body: string }
  | { kind: 'move'; by: string; from: string; to: string }
  | { kind: 'remove'; by: string; path: string; recursive: boolean };

const parentOf = (path: string): string => path.slice(0, path.lastIndexOf('/')) || '/';
const ownerOf = (path: string): string => path.split('/')[1] ?? '';
const isBelow = (path: string, directory: string): boolean => path.startsWith(`${directory}/`);

const holds = (day: Day, name: string, path: string): boolean =>
  isManager(day, name) || (path !== '/' && ownerOf(path) === name);

function isGranted(day: Day, name: string, { audiences }: FileNode): boolean {
  return audiences.some((audience) => {
    const [kind, key = ''] = audience.split(':');
    if (kind === 'to') return key === name;
    if (kind === 'chan') return inChannel(day, key, name);
    return kind === 'general' || inThread(day, key, name);
  });
}

const grantedIn = (day: Day, name: string, directory: string): boolean =>
  [...day.files].some(
    ([path, node]) => isBelow(path, directory === '/' ? '' : directory) && isGranted(day, name, node),
  );

function sees(day: Day, name: string, path: string): boolean {
  if (holds(day, name, path) || path === '/') return true;
  const node = day.files.get(path);
  return (node !== undefined && isGranted(day, name, node)) || grantedIn(day, name, path);
}

/** The answer of GET /fs/read. */
export function readFile(day: Day, name: string, path: string): { status: number; body?: string } {
  if (!sees(day, name, path)) return { status: 403 };
  const node = day.files.get(path);
  if (node === undefined) return { status: 404 };
  return node.body === null ? { status: 400 } : { status: 200, body: node.body };
}

/** The answer of GET /fs/ls: paths. */
export function listFiles(day: Day, name: string, path: string): string[] | number {
  if (!sees(day, name, path)) return 403;
  const node = day.files.get(path);
  if (node === undefined) return 404;
  if (node.body !== null) return 400;
  return [...day.files.keys()]
    .filter((child) => child !== '/' && parentOf(child) === path && sees(day, name, child))
    .sort();
}

export const sharedFiles = (day: Day, name: string): string[] =>
  [...day.files]
    .filter(([path, node]) => ownerOf(path) !== name && isGranted(day, name, node))
    .map(([path]) => path)
    .sort();

/** Attaches files to a post for `audience`. Returns the status of the refusal, or null. */
export function attach(day: Day, by: string, paths: readonly string[], audience: string): number | null {
  const nodes: FileNode[] = [];
  for (const path of distinct(paths)) {
    const node = day.files.get(path);
    if (!holds(day, by, path)) {
      if (node === undefined || !isGranted(day, by, node)) return 403;
    } else if (node === undefined) return 404;
    else if (node.body === null) return 400;
    nodes.push(node);
  }
  for (const node of nodes) node.audiences = distinct([...node.audiences, audience]);
  return null;
}

/** The member's files stay; its grants end, and its home goes if it is empty. */
export function forgetFilesOf(day: Day, name: string): void {
  for (const node of day.files.values())
    node.audiences = node.audiences.filter((one) => one !== `to:${name}`);
  const home = `/${name}`;
  if (![...day.files.keys()].some((path) => isBelow(path, home))) day.files.delete(home);
}

/** A write also returns the path that it used. */
export function takeFileStep(day: Day, step: FileStep): { status: number; path?: string } {
  switch (step.kind) {
    case 'write':
      return write(day, step);
    case 'move':
      return { status: move(day, step) };
    case 'remove': {
      const { by, path, recursive } = step;
      if (!holds(day, by, path) || parentOf(path) === '/') return { status: 403 };
      if (!day.files.has(path)) return { status: 404 };
      const below = [...day.files.keys()].filter((other) => isBelow(other, path));
      if (below.length > 0 && !recursive) return { status: 409 };
      for (const gone of [path, ...below]) day.files.delete(gone);
      return { status: 204 };
    }
  }
}

function directoriesAbove(path: string): string[] {
  const above: string[] = [];
  for (let at = parentOf(path); at !== '/'; at = parentOf(at)) above.unshift(at);
  return above;
}

function write(
  day: Day,
  { by, path, collide, body }: FileStep & { kind: 'write' },
): { status: number; path?: string } {
  if (!holds(day, by, path)) return { status: 403 };
  if (parentOf(path) === '/') return { status: 400 };
  if (!day.files.has(`/${ownerOf(path)}`)) return { status: 404 };
  const above = directoriesAbove(path);
  if (above.some((directory) => typeof day.files.get(directory)?.body === 'string')) return { status: 409 };
  const present = day.files.get(path);
  let target = path;
  if (present !== undefined) {
    if (collide === 'suffix') target = numbered(day, path);
    else if (collide === 'error' || present.body === null) return { status: 409 };
  }
  for (const directory of above)
    if (!day.files.has(directory)) day.files.set(directory, { body: null, audiences: [] });
  day.files.set(target, { body, audiences: day.files.get(target)?.audiences ?? [] });
  return { status: 200, path: target };
}

/** The script names files with one dot: `plan.txt`, `plan-1.txt`. */
function numbered(day: Day, path: string): string {
  for (let number = 1; ; number++) {
    const candidate = path.replace(/\.txt$/, `-${number}.txt`);
    if (!day.files.has(candidate)) return candidate;
  }
}

function move(day: Day, { by, from, to }: FileStep & { kind: 'move' }): number {
  if (!holds(day, by, from) || !holds(day, by, to)) return 403;
  const node = day.files.get(from);
  if (node === undefined) return 404;
  if (node.body === null || parentOf(to) === '/') return 400;
  if (!day.files.has(`/${ownerOf(to)}`)) return 404;
  if (day.files.has(to)) return 409;
  const above = directoriesAbove(to);
  if (above.some((directory) => typeof day.files.get(directory)?.body === 'string')) return 409;
  if (above.some((directory) => !day.files.has(directory))) return 404;
  day.files.delete(from);
  day.files.set(to, node);
  return 200;
}
