/** Writes a file of this computer into a folder of the team. */
import type { Transport } from './transport.ts';

const fileName = (name: string): string => name.normalize('NFC').replaceAll(/[\\/\p{Cc}]/gu, '_') || 'file';

/**
 * Returns the path that the file got: one of the same name stays as it is. `onProgress` gets 0 to 1.
 * @throws Error with a sentence; an AbortError once the signal aborted.
 */
export async function uploadFile(
  transport: Transport,
  folder: string,
  file: File,
  onProgress: (done: number) => void,
  signal: AbortSignal,
): Promise<string> {
  const query = new URLSearchParams({
    path: `${folder === '/' ? '' : folder}/${fileName(file.name)}`,
    mime: file.type || 'application/octet-stream',
    collide: 'suffix',
  });
  const { status, body } = await transport.upload(`/fs/write?${query}`, file, onProgress, signal);
  const reply = JSON.parse(body || '{}') as { entry?: { path: string }; message?: string };
  if (status !== 200 || reply.entry === undefined)
    throw new Error(reply.message ?? `the broker answered ${status}`);
  return reply.entry.path;
}
