/** Writes a file from this computer to a folder of the team. */
import { errorOf } from '#protocol/client.ts';
import type { FsEntry } from '#protocol/files.ts';
import type { Transport } from './transport.ts';

const fileName = (name: string): string => name.normalize('NFC').replaceAll(/[\\/\p{Cc}]/gu, '_') || 'file';

/**
 * Returns the path of the new file; an existing file of the same name is kept. `onProgress` gets values from
 * 0 to 1.
 * @throws Error that `sentenceOf` puts into words; an AbortError after the signal aborted.
 */
export async function uploadFile(
  transport: Transport,
  folder: string,
  file: File,
  onProgress: (done: number) => void,
  signal: AbortSignal,
): Promise<string> {
  // A browser takes a dropped folder for a file that it cannot read, and would call that a lost connection.
  await file
    .slice(0, 1)
    .arrayBuffer()
    .catch(() => {
      throw new Error('It cannot be read: it is a folder, or it was moved or changed after it was chosen.');
    });
  const query = new URLSearchParams({
    path: `${folder === '/' ? '' : folder}/${fileName(file.name)}`,
    mime: file.type || 'application/octet-stream',
    collide: 'suffix',
  });
  const { status, body } = await transport.upload(`/fs/write?${query}`, file, onProgress, signal);
  if (status !== 200) throw errorOf(status, body, null);
  return (JSON.parse(body) as { entry: FsEntry }).entry.path;
}
