/**
 * Folders that belong to one process and are of no use after it. Whose a folder is stands in its name, so there is no moment at which
 * nobody can tell.
 */
import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive, ownIdentity } from './process-identity.ts';

const shape = /^([a-z]+)-(\d+)-(\d+|x)-[0-9a-f]{12}$/;

/** Makes `<parent>/<prefix>-…`, 0700, and `parent` when missing. `prefix`: lower-case letters. @throws what the system throws. */
export function makeOwnedFolder(parent: string, prefix: string): string {
  const { pid, startedAt } = ownIdentity();
  const path = join(parent, `${prefix}-${pid}-${startedAt ?? 'x'}-${randomBytes(6).toString('hex')}`);
  mkdirSync(parent, { recursive: true, mode: 0o700 });
  mkdirSync(path, { mode: 0o700 });
  return path;
}

/** Those of processes that are gone: killed, or lost with the power. */
export function abandonedFolders(parent: string, prefix: string): string[] {
  let names: string[];
  try {
    names = readdirSync(parent);
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    const [, kind, pid, startedAt] = shape.exec(name) ?? [];
    if (kind !== prefix || pid === undefined || startedAt === undefined) return [];
    const owner = { pid: Number(pid), startedAt: startedAt === 'x' ? null : startedAt };
    return isAlive(owner) ? [] : [join(parent, name)];
  });
}
