/** Reads a backup from a tar file or from a folder, file by file; the manifest comes last. */
import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { extract } from 'tar-stream';
import { codeText } from '#platform/error-text.ts';
import { snapshotsIn } from './backup-folder.ts';
import { BackupError, BackupManifest, blobName, configName, manifestName } from './backup-format.ts';

export interface BackupFile {
  name: string;
  content: Readable;
}

export const damagedBackup = (path: string): BackupError =>
  new BackupError(`"${path}" is not a complete backup of Muster. Use another one.`);

/** A file that is gone, or that its disk does not give back. */
export class LostFileError extends BackupError {}

/** Says nothing about what is in the file: a backup that cannot be read may be whole. */
function unreadable(path: string, error: unknown): BackupError {
  const code = codeText(error);
  if (code === 'ENOENT') return new LostFileError(`"${path}" is missing. Use another backup.`);
  const sentence = `"${path}" cannot be read (${code}).`;
  return ['EACCES', 'EPERM'].includes(code)
    ? new BackupError(`${sentence} Make it readable for this user.`)
    : new LostFileError(`${sentence} Check the disk that it is on, or use another backup.`);
}

export function parseManifest(text: string, path: string): BackupManifest {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    throw damagedBackup(path);
  }
  if ((document as { format?: unknown } | null)?.format !== 1)
    throw new BackupError(
      `"${path}" has another format. Restore it with the version of Muster that made it.`,
    );
  const parsed = BackupManifest.safeParse(document);
  if (!parsed.success) throw damagedBackup(path);
  return parsed.data;
}

async function* filesOfTar(path: string): AsyncGenerator<BackupFile> {
  const archive = extract();
  const source = createReadStream(path);
  source.on('error', (error) => archive.destroy(unreadable(path, error)));
  source.pipe(archive);
  try {
    for await (const entry of archive) {
      if (entry.header.type !== 'file') throw damagedBackup(path);
      yield { name: entry.header.name, content: entry as unknown as Readable };
    }
  } catch (error) {
    throw error instanceof BackupError ? error : damagedBackup(path);
  } finally {
    source.destroy();
  }
}

/** Opens the file when somebody reads, so that one that is not wanted causes nothing. */
const lazily = (path: string): Readable =>
  Readable.from(
    (async function* () {
      try {
        yield* createReadStream(path);
      } catch (error) {
        throw unreadable(path, error);
      }
    })(),
    { objectMode: false },
  );

async function* filesOfFolder(folder: string, name: string): AsyncGenerator<BackupFile> {
  const snapshot = join(folder, name);
  const path = join(snapshot, manifestName);
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw unreadable(path, error);
  });
  const { files, blobs } = parseManifest(text, snapshot);
  for (const file of files) yield { name: file.name, content: lazily(join(snapshot, file.name)) };
  for (const { hash } of blobs) yield { name: blobName(hash), content: lazily(join(folder, blobName(hash))) };
  yield { name: manifestName, content: lazily(path) };
}

/**
 * Returns the text of the configuration in a backup; null if it has none, or if it is a pipe, which can be read only
 * once. @throws BackupError as openBackup.
 */
export async function readConfigOf(path: string, name: string | undefined): Promise<string | null> {
  const files = await openBackup(path, name);
  const found = await stat(path);
  if (!found.isFile() && !found.isDirectory()) return null;
  for await (const file of files) {
    if (file.name === configName) return text(file.content);
    // The next file of an archive comes after this one's content; a file of a folder is not opened.
    if (found.isFile()) file.content.resume();
    else file.content.destroy();
  }
  return null;
}

/**
 * Returns the files of a backup: of a tar file, of the newest backup in a folder, or of the one with this
 * name in it. @throws BackupError if there is none.
 */
export async function openBackup(
  path: string,
  name: string | undefined,
): Promise<AsyncGenerator<BackupFile>> {
  const found = await stat(path).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  if (!found.isDirectory()) {
    if (name !== undefined) throw new BackupError(`"${path}" is one backup, so --at does not apply.`);
    return filesOfTar(path);
  }
  const names = await snapshotsIn(path).catch((error: unknown) => {
    throw unreadable((error as NodeJS.ErrnoException).path ?? path, error);
  });
  const [snapshot, folder] = [basename(path), dirname(path)];
  if (names.length === 0 && (await snapshotsIn(folder).catch((): string[] => [])).includes(snapshot))
    throw new BackupError(
      `"${path}" is one backup of a folder. Name the folder "${folder}" with --at ${snapshot}.`,
    );
  const chosen = name ?? names.at(-1);
  if (chosen === undefined) throw new BackupError(`there is no complete backup in "${path}".`);
  if (!names.includes(chosen))
    throw new BackupError(`there is no backup "${chosen}" in "${path}". It has ${names.join(', ')}.`);
  return filesOfFolder(path, chosen);
}
