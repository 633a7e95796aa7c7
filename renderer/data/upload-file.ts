/** Writes a file from this computer to a folder of the team. */
import type { Transport } from './transport.ts';

const fileName = (name: string): string => name.normalize('NFC').replaceAll(/[\\/\p{Cc}]/gu, '_') || 'file';

/**
 * Returns the path of the new file; an existing file of the same name is kept. `onProgress` gets values from
 * 0 to 1.
 * @throws Error with a message for the person; an AbortError after the signal aborted.
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
