/** Counts what is in a folder, up to a bound. */
import type { BrokerClient } from '#protocol/client.ts';

const pageSize = 1000;
/** So many requests are made; a folder with more is counted in part. */
const maxRequests = 25;
const maxNames = 4;

export interface FolderCount {
  files: number;
  folders: number;
  /** The names of the first entries of the folder itself. */
  names: readonly string[];
  /** Whether there may be more than was counted. */
  isPart: boolean;
}

/** @throws what the client throws. */
export async function countFolder(client: BrokerClient, path: string): Promise<FolderCount> {
  const waiting = [path];
  const count = { files: 0, folders: 0, names: [] as string[] };
  let requests = 0;
  while (waiting.length > 0 && requests < maxRequests) {
    const folder = waiting.shift() ?? path;
    let after: string | undefined;
    do {
      requests++;
      const query = { path: folder, limit: String(pageSize), after };
      const { entries } = await client.call('listFiles', { query });
      if (folder === path && after === undefined)
        count.names = entries.slice(0, maxNames).map(({ name }) => name);
      for (const entry of entries) {
        if (entry.kind === 'file') count.files++;
        else {
          count.folders++;
          waiting.push(entry.path);
        }
      }
      after = entries.length === pageSize ? entries.at(-1)?.path : undefined;
    } while (after !== undefined && requests < maxRequests);
    if (after !== undefined) return { ...count, isPart: true };
  }
  return { ...count, isPart: waiting.length > 0 };
}
