/** The log of one run: a file of its own, one JSON object per line (specification/runner.md#logs). */
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { maskText } from '../gateway/masking.rules.ts';

export interface RunLog {
  readonly path: string;
  /** `data` is masked as well, because secrets in an error's text must not reach the file. */
  write(event: string, data?: object): void;
  close(): Promise<void>;
}

/** `folder` is created if it is missing. */
export async function openRunLog(folder: string, member: string): Promise<RunLog> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const at = new Date().toISOString().replaceAll(/[:.]/g, '-');
  const path = join(folder, `run-${member}-${at}-${process.pid}.jsonl`);
  const file = createWriteStream(path, { flags: 'ax', mode: 0o600 });
  // A full disk must not end the run; only the log is lost.
  file.on('error', () => undefined);
  return {
    path,
    write(event, data = {}) {
      file.write(`${maskText(JSON.stringify({ at: new Date().toISOString(), event, ...data }))}\n`);
    },
    close: () => new Promise((resolve) => file.end(() => resolve())),
  };
}
