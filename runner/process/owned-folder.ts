/**
 * Folders that belong to one process and are useless after it. The owner is in the folder's name, so there is
 * no moment at which it is unknown.
 */
import { randomBytes } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { isAlive, ownIdentity } from '#platform/process-identity.ts';

const shape = /^([a-z]+)-(\d+)-(\d+|x)-[0-9a-f]{12}$/;

/**
 * Creates `<parent>/<prefix>-…`, 0700, and `parent` if it is missing. `prefix`: lower-case letters. @throws
 * the system's error.
 */
export function makeOwnedFolder(parent: string, prefix: string): string {
  const { pid, startedAt } = ownIdentity();
  const path = join(parent, `${prefix}-${pid}-${startedAt ?? 'x'}-${randomBytes(6).toString('hex')}`);
  mkdirSync(parent, { recursive: true, mode: 0o700 });
  mkdirSync(path, { mode: 0o700 });
  return path;
}

/**
 * Returns whether the folder belongs to this user and nobody else can write to it. In a parent folder that
 * all users share, another user could create a folder with such a name, or replace it with a link that its
 * removal would follow.
 */
function isOwn(path: string): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found?.isDirectory()) return false;
  return process.getuid === undefined || (found.uid === process.getuid() && (found.mode & 0o022) === 0);
}

/** Those of processes that are gone: killed, or lost in a power failure. */
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
    const path = join(parent, name);
    return isAlive(owner) || !isOwn(path) ? [] : [path];
  });
}
