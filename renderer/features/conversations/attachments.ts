/**
 * The attachments of an unsent message. They are kept as long as its draft, also while another conversation
 * is open.
 */
import { useSyncExternalStore } from 'react';
import { randomId } from '../../data/random-id.ts';
import type { Transport } from '../../data/transport.ts';
import { uploadFile } from '../../data/upload-file.ts';
import { createListeners } from '../../listeners.ts';
import { sentenceOf } from '../../ui/sentence-of.ts';

export interface Attached {
  id: string;
  name: string;
  /** 0 to 1; the path is set when the upload is complete. */
  progress: number;
  path: string | null;
  error: string | null;
  abort: AbortController;
}

const none: readonly Attached[] = [];
const filesByDraft = new Map<string, readonly Attached[]>();
const { subscribe, tell } = createListeners();

/** Returns the attachments of the message that `self` writes in this scope. */
export function useAttachments(transport: Transport, self: string, scope: string) {
  const draft = `${self} ${scope}`;
  const read = () => filesByDraft.get(draft) ?? none;
  const attached = useSyncExternalStore(subscribe, read);
  function become(files: readonly Attached[]): void {
    if (files.length === 0) filesByDraft.delete(draft);
    else filesByDraft.set(draft, files);
    tell();
  }
  const change = (id: string, over: Partial<Attached>) =>
    become(read().map((one) => (one.id === id ? { ...one, ...over } : one)));
  function add(files: Iterable<File>): void {
    for (const file of files) {
      const id = randomId();
      const abort = new AbortController();
      become([...read(), { id, name: file.name, progress: 0, path: null, error: null, abort }]);
      uploadFile(
        transport,
        `/${self}/attachments`,
        file,
        (progress) => change(id, { progress }),
        abort.signal,
      ).then(
        (path) => change(id, { path, progress: 1 }),
        (error: unknown) => change(id, { error: sentenceOf(error) }),
      );
    }
  }
  function remove(id: string): void {
    read()
      .find((one) => one.id === id)
      ?.abort.abort();
    become(read().filter((one) => one.id !== id));
  }
  const forget = (files: readonly Attached[]) =>
    become(read().filter(({ id }) => !files.some((file) => file.id === id)));
  return { attached, add, remove, forget };
}
