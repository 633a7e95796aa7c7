/**
 * The tokens that this person holds, one per broker address (specification/configuration.md#bearer-cache).
 */
import { readFile } from 'node:fs/promises';
import { codeOf } from '#platform/error-text.ts';
import { withFileLock } from '#platform/file-lock.ts';
import { followLink, makeFolderOf, replacePrivateFile } from '#platform/private-file.ts';
import { ConnectionError } from './connection-error.ts';
import { fieldsOf, isInstant, parsedJson } from './untrusted-json.ts';

export interface BearerEntry {
  url: string;
  token: string;
  /** Epoch ms. */
  savedAt: number;
  /** Further addresses, as the broker named them; absent if there are none. */
  addresses?: string[];
}

interface CacheFile {
  schema: 1;
  entries: BearerEntry[];
}

function isEntry(value: unknown): value is BearerEntry {
  const { url, token, savedAt, addresses } = fieldsOf(value);
  const hasAddresses = Array.isArray(addresses) && addresses.every((one) => typeof one === 'string');
  return (
    typeof url === 'string' &&
    typeof token === 'string' &&
    isInstant(savedAt) &&
    (addresses === undefined || hasAddresses)
  );
}

function isCacheFile(value: unknown): value is CacheFile {
  const { schema, entries } = fieldsOf(value);
  return schema === 1 && Array.isArray(entries) && entries.every(isEntry);
}

export interface BearerCache {
  readonly path: string;
  /**
   * Every entry; none if there is no file. @throws ConnectionError `cache` if the file cannot be read or is
   * not a cache.
   */
  entries(): Promise<BearerEntry[]>;
  /**
   * The entry whose URL is exactly `url`: no trailing-slash or scheme equivalence. @throws like entries().
   */
  find(url: string): Promise<BearerEntry | undefined>;
  /**
   * Adds or replaces the entry of `url`; the others stay. Processes that save at once lose nothing. @throws
   * like entries(); the file is then untouched.
   */
  save(url: string, token: string): Promise<void>;
  /** Replaces the further addresses of the entry of `url`, if there is one. @throws like entries(). */
  keepAddresses(url: string, addresses: readonly string[]): Promise<void>;
  /** Removes the entry of `url`, if there is one. @throws like entries(); the file is then untouched. */
  remove(url: string): Promise<void>;
}

/** @param options.path from `appPaths().authPath`, which respects SVC_AUTH_CONFIG_PATH. */
export function createBearerCache(options: { path: string; clock?: () => number }): BearerCache {
  const { path, clock = Date.now } = options;

  async function entries(): Promise<BearerEntry[]> {
    const file = await readCacheFile(path);
    // A hand-written file may contain a URL twice: the latest write wins.
    const newestByUrl = new Map<string, BearerEntry>();
    for (const entry of file.entries) {
      const other = newestByUrl.get(entry.url);
      if (other === undefined || other.savedAt <= entry.savedAt) newestByUrl.set(entry.url, entry);
    }
    return [...newestByUrl.values()];
  }

  async function rewrite(change: (entries: CacheFile['entries']) => CacheFile['entries']): Promise<void> {
    const target = await followLink(path);
    await makeFolderOf(target);
    await withFileLock(`${target}.lock`, async () => {
      const file = await readCacheFile(target);
      const next = { ...file, entries: change(file.entries) };
      await replacePrivateFile(target, `${JSON.stringify(next, null, 2)}\n`);
    });
  }

  return {
    path,
    entries,
    async find(url) {
      return (await entries()).find((entry) => entry.url === url);
    },
    save: (url, token) =>
      rewrite((entries) => {
        const { addresses } = entries.findLast((entry) => entry.url === url) ?? {};
        const others = entries.filter((entry) => entry.url !== url);
        return [...others, { url, token, savedAt: clock(), ...(addresses && { addresses }) }];
      }),
    keepAddresses: (url, addresses) =>
      rewrite((entries) =>
        entries.map((entry) => {
          if (entry.url !== url) return entry;
          const { addresses: _, ...others } = entry;
          return addresses.length === 0 ? others : { ...others, addresses: [...addresses] };
        }),
      ),
    remove: (url) => rewrite((entries) => entries.filter((entry) => entry.url !== url)),
  };
}

async function readCacheFile(path: string): Promise<CacheFile> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return { schema: 1, entries: [] };
    throw new ConnectionError(
      'cache',
      `the bearer cache "${path}" cannot be read (${codeOf(error)})`,
      'check its owner and mode',
    );
  }
  const parsed = parsedJson(text);
  if (isCacheFile(parsed)) return parsed;
  throw new ConnectionError(
    'cache',
    `the bearer cache "${path}" is damaged and was left as it is`,
    'repair it, or move it to another folder and save the tokens again',
  );
}
