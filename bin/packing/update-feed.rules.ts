/** The update feed of macOS. Each machine that packs writes one for its own architecture, but all Macs read the same file. */

export interface UpdateFeed {
  version: string;
  files: readonly FeedFile[];
  /** The file for updaters that do not know `files`, and its checksum. */
  path: string;
  sha512: string;
  /** ISO 8601. */
  releaseDate: string;
}

interface FeedFile {
  url: string;
  sha512: string;
  size: number;
}

const isFile = (value: unknown): boolean => {
  const { url, sha512, size } = (value ?? {}) as Partial<FeedFile>;
  return typeof url === 'string' && typeof sha512 === 'string' && typeof size === 'number';
};

/** @throws Error if it is no feed as electron-builder writes it; `name` is for the message. */
export function feedOf(value: unknown, name: string): UpdateFeed {
  const feed = (value ?? {}) as Partial<Record<keyof UpdateFeed, unknown>>;
  const texts = [feed.version, feed.path, feed.sha512, feed.releaseDate];
  if (
    !texts.every((one) => typeof one === 'string') ||
    !Array.isArray(feed.files) ||
    !feed.files.every(isFile)
  )
    throw new Error(`"${name}" is not an update feed.`);
  return value as UpdateFeed;
}

/** Whether an updater on an Intel Mac leaves this file out, as electron-updater decides. */
const isForArm = (url: string): boolean => url.includes('arm64');

/**
 * Returns one feed with the files of all. Older updaters get the file for Intel, which every Mac can run. @throws Error if
 * the feeds are of different versions, or name one file with two checksums.
 */
export function mergeFeeds(feeds: readonly [UpdateFeed, ...UpdateFeed[]]): UpdateFeed {
  const versions = [...new Set(feeds.map(({ version }) => version))];
  if (versions.length > 1) throw new Error(`the feeds are of different versions: ${versions.join(', ')}.`);
  const byUrl = new Map<string, FeedFile>();
  for (const file of feeds.flatMap(({ files }) => files)) {
    const other = byUrl.get(file.url);
    if (other !== undefined && other.sha512 !== file.sha512)
      throw new Error(`the feeds name "${file.url}" with different checksums.`);
    byUrl.set(file.url, file);
  }
  const { path, sha512 } = feeds.find((feed) => !isForArm(feed.path)) ?? feeds[0];
  return {
    version: feeds[0].version,
    files: [...byUrl.values()],
    path,
    sha512,
    releaseDate:
      feeds
        .map(({ releaseDate }) => releaseDate)
        .sort()
        .at(-1) ?? '',
  };
}
