/**
 * The mark of a folder that several machines share. A machine on which it is not mounted has an empty folder at the same
 * path; what it stored there would be missing on the others (docs/specification/standby.md#contents-of-files).
 */
import { randomUUID } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '#platform/error-text.ts';
import { createPrivateFile } from '#platform/private-file.ts';
import { refuse } from '#protocol/errors.ts';

/** The mark that the team knows. All machines have the same. */
export interface KnownMark {
  /** Null: no folder was marked yet. */
  read(): Promise<string | null>;
  /** Resolves when every machine that takes over later knows it. */
  keep(mark: string): Promise<void>;
}

export async function readMark(path: string): Promise<string | null> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  });
  return text?.trim() || null;
}

export const markPath = (root: string): string => join(root, '.shared');

/** Marks the team's first folder. Returns its mark. @throws BrokerError unavailable for another folder; system errors. */
export async function claimSharedFolder(root: string, known: KnownMark): Promise<string> {
  const mark = await known.read();
  if (mark === null) {
    await mkdir(root, { recursive: true, mode: 0o700 });
    await createPrivateFile(markPath(root), `${randomUUID()}\n`);
  }
  const found = mark ?? (await readMark(markPath(root))) ?? refuse('files_not_shared', { root });
  await refuseUnmarked(root, found);
  if (mark === null) await known.keep(found);
  return found;
}

/** @throws BrokerError unavailable unless the folder has this mark; system errors. */
export async function refuseUnmarked(root: string, mark: string): Promise<void> {
  if ((await readMark(markPath(root))) !== mark) refuse('files_not_shared', { root });
}
