/**
 * The filesystem as a member should see it, in memory: who may do what with which path, and what is answered
 * (specification/files.md#access).
 */
import { createHash } from 'node:crypto';

export type Step =
  | { kind: 'write'; by: string; path: string; collide: 'error' | 'overwrite' | 'suffix'; body: string }
  | { kind: 'mkdir'; by: string; path: string; recursive: boolean }
  | { kind: 'rm'; by: string; path: string; recursive: boolean }
  | { kind: 'mv'; by: string; from: string; to: string }
  | { kind: 'share'; by: string; path: string; to: string | null };

interface Node {
  /** Null for a directory. */
  body: string | null;
  /** Members, or `*` for everybody. */
  readers: Set<string>;
}

export class FileModel {
  readonly nodes = new Map<string, Node>();
  readonly members: readonly string[];
  readonly manager: string;

  constructor(members: readonly string[], manager: string) {
    this.members = members;
    this.manager = manager;
    for (const member of members) this.#add(`/${member}`, null);
  }

  /** Returns the status of the step, which is applied if it succeeds, and for a write its path. */
  take(step: Step): { status: number; path?: string } {
    switch (step.kind) {
      case 'write':
        return this.#write(step.by, step.path, step.collide, step.body);
      case 'mkdir':
        return { status: this.#makeDirectory(step.by, step.path, step.recursive) };
      case 'rm':
        return { status: this.#remove(step.by, step.path, step.recursive) };
      case 'mv':
        return { status: this.#move(step.by, step.from, step.to) };
      case 'share':
        return { status: this.#share(step.by, step.path, step.to) };
    }
  }

  /** The answer of GET /fs/read. */
  read(member: string, path: string): { status: number; body?: string } {
    if (!this.#sees(member, path)) return { status: 403 };
    const node = this.nodes.get(path);
    if (node === undefined) return { status: 404 };
    return node.body === null ? { status: 400 } : { status: 200, body: node.body };
  }

  /** The answer of GET /fs/ls: names, directories with a slash. */
  list(member: string, path: string): { status: number; names?: string[] } {
    if (path !== '/' && !this.#sees(member, path)) return { status: 403 };
    const node = this.nodes.get(path);
    if (path !== '/' && node === undefined) return { status: 404 };
    if (path !== '/' && node?.body !== null) return { status: 400 };
    const children = [...this.nodes].filter(([child]) => parent(child) === path && this.#sees(member, child));
    const names = children.map(
      ([child, { body }]) => child.slice(child.lastIndexOf('/') + 1) + (body === null ? '/' : ''),
    );
    return { status: 200, names: names.sort() };
  }

  shared(member: string): string[] {
    return [...this.nodes]
      .filter(([path, node]) => !own(member, path) && this.#granted(member, node))
      .map(([path]) => path)
      .sort();
  }

  hashes(): string[] {
    const bodies = [...this.nodes.values()].flatMap(({ body }) => body ?? []);
    return [...new Set(bodies)].map((body) => createHash('sha256').update(body).digest('hex')).sort();
  }

  #add(path: string, body: string | null): void {
    this.nodes.set(path, { body, readers: new Set() });
  }

  #granted(member: string, { readers }: Node): boolean {
    return readers.has(member) || readers.has('*');
  }

  #holds(member: string, path: string): boolean {
    return member === this.manager || own(member, path);
  }

  #sees(member: string, path: string): boolean {
    if (this.#holds(member, path)) return true;
    return [...this.nodes].some(
      ([other, node]) => (other === path || other.startsWith(`${path}/`)) && this.#granted(member, node),
    );
  }

  /** 409 below a file; otherwise the missing directories. */
  #above(path: string): string[] | 409 {
    const missing: string[] = [];
    for (let at = parent(path); at !== '/'; at = parent(at)) {
      const node = this.nodes.get(at);
      if (node === undefined) missing.push(at);
      else if (node.body !== null) return 409;
    }
    return missing;
  }

  #write(by: string, path: string, collide: string, body: string): { status: number; path?: string } {
    if (!this.#holds(by, path)) return { status: 403 };
    if (parent(path) === '/') return { status: 400 };
    const above = this.#above(path);
    if (above === 409) return { status: 409 };
    const present = this.nodes.get(path);
    let target = path;
    if (present !== undefined && collide === 'suffix') target = this.#numbered(path);
    else if (present !== undefined && (collide === 'error' || present.body === null)) return { status: 409 };
    for (const directory of above) this.#add(directory, null);
    this.nodes.set(target, { body, readers: this.nodes.get(target)?.readers ?? new Set() });
    return { status: 200, path: target };
  }

  #numbered(path: string): string {
    for (let n = 1; ; n++) {
      const dot = path.lastIndexOf('.');
      const candidate =
        dot > path.lastIndexOf('/') + 1 ? `${path.slice(0, dot)}-${n}${path.slice(dot)}` : `${path}-${n}`;
      if (!this.nodes.has(candidate)) return candidate;
    }
  }

  #makeDirectory(by: string, path: string, recursive: boolean): number {
    if (!this.#holds(by, path)) return 403;
    const present = this.nodes.get(path);
    if (present !== undefined) return recursive && present.body === null ? 200 : 409;
    const above = this.#above(path);
    if (above === 409) return 409;
    if (above.length > 0 && !recursive) return 404;
    for (const directory of [...above, path]) this.#add(directory, null);
    return 200;
  }

  #remove(by: string, path: string, recursive: boolean): number {
    if (!this.#holds(by, path) || parent(path) === '/') return 403;
    if (!this.nodes.has(path)) return 404;
    const below = [...this.nodes.keys()].filter((other) => other.startsWith(`${path}/`));
    if (below.length > 0 && !recursive) return 409;
    for (const gone of [...below, path]) this.nodes.delete(gone);
    return 204;
  }

  #move(by: string, from: string, to: string): number {
    if (!this.#holds(by, from) || !this.#holds(by, to)) return 403;
    const node = this.nodes.get(from);
    if (node === undefined) return 404;
    if (node.body === null || parent(to) === '/') return 400;
    if (this.nodes.has(to)) return 409;
    const above = this.#above(to);
    if (above === 409) return 409;
    if (above.length > 0) return 404;
    this.nodes.delete(from);
    this.nodes.set(to, node);
    return 200;
  }

  #share(by: string, path: string, to: string | null): number {
    const node = this.nodes.get(path);
    if (!this.#holds(by, path) && (node === undefined || !this.#granted(by, node))) return 403;
    if (node === undefined) return 404;
    if (node.body === null) return 400;
    node.readers.add(to ?? '*');
    return 200;
  }
}

const parent = (path: string): string => path.slice(0, path.lastIndexOf('/')) || '/';
const own = (member: string, path: string): boolean =>
  path === `/${member}` || path.startsWith(`/${member}/`);
