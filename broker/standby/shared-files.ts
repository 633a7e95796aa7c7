/** The folder that the machines share for the contents of files: its mark, in a small file beside the configuration. */
import { readFile } from 'node:fs/promises';
import { reasonOf } from '#platform/error-text.ts';
import { replacePrivateFile } from '#platform/private-file.ts';
import { BrokerError } from '#protocol/errors.ts';
import { parseConfig } from '../backup/broker-files.ts';
import { filesRootOf, isBucket } from '../storage/blobs/bucket-address.ts';
import { type KnownMark, readMark, refuseUnmarked } from '../storage/blobs/shared-mark.ts';

export const knownMarkPath = (configPath: string): string => `${configPath}.share`;

/** `keepFiles`: from the term of the active broker. */
export const knownMarkAt = (configPath: string, keepFiles: () => Promise<void>): KnownMark => ({
  read: () => readMark(knownMarkPath(configPath)),
  async keep(mark) {
    await replacePrivateFile(knownMarkPath(configPath), `${mark}\n`);
    await keepFiles();
  },
});

const lookAgainMs = 5000;

/** Returns a function that says why this machine would not have the team's files if it took over now; null if it would. */
export function watchSharedFiles(configPath: string): () => Promise<string | null> {
  let fault: string | null = null;
  let lookedAt = Number.NEGATIVE_INFINITY;
  return async () => {
    if (performance.now() - lookedAt < lookAgainMs) return fault;
    lookedAt = performance.now();
    fault = await faultOfSharedFiles(configPath).catch((error: unknown) => reasonOf(error));
    return fault;
  };
}

async function faultOfSharedFiles(configPath: string): Promise<string | null> {
  const mark = await readMark(knownMarkPath(configPath));
  if (mark === null) return null;
  const { files } = parseConfig(await readFile(configPath), configPath);
  const root = files === undefined ? null : filesRootOf(configPath, files.root);
  if (root === null || isBucket(root)) return null;
  try {
    await refuseUnmarked(root, mark);
    return null;
  } catch (error) {
    if (error instanceof BrokerError) return error.message;
    throw error;
  }
}
