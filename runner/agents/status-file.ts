/** A file of the run with one line for a status line: what waits for the agent. */
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createSerialQueue } from '#platform/serial-queue.ts';

export const statusPath = (runFolder: string): string => join(runFolder, 'status-line');

export interface StatusFile {
  show(unread: number): void;
  /** Resolves when nothing is being written. */
  close(): Promise<void>;
}

const textOf = (unread: number): string =>
  unread === 0 ? '' : `${unread} unread ${unread === 1 ? 'message' : 'messages'} from your team\n`;

/** Written beside it and renamed, so that a reader never sees half a line. A full disk costs only the line. */
export function createStatusFile(runFolder: string): StatusFile {
  const path = statusPath(runFolder);
  const inTurn = createSerialQueue();
  let wanted = '';
  let written: string | null = null;

  async function write(): Promise<void> {
    if (wanted === written) return;
    const text = wanted;
    await writeFile(`${path}.new`, text, { mode: 0o600 });
    await rename(`${path}.new`, path);
    written = text;
  }

  const show = (unread: number): void => {
    wanted = textOf(unread);
    void inTurn(write).catch(() => undefined);
  };
  show(0);
  return {
    show,
    async close() {
      await inTurn(() => rm(path, { force: true })).catch(() => undefined);
    },
  };
}
