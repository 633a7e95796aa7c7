/**
 * Where a restore puts what the configuration of a backup names (specification/backup.md#restore). A backup could name
 * any path of the machine, so nothing leaves the place that the user named.
 */
import { dirname, isAbsolute, join, relative } from 'node:path';
import type { BrokerPlace } from './broker-files.ts';

function isBelow(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '' && !isAbsolute(way) && way.split(/[\\/]/)[0] !== '..';
}

/**
 * Returns the folder for contents of files: the one that the backup names if it is below the folder of the
 * configuration or of the main store, else `files` beside the main store. All paths are absolute.
 */
export function filesFolder({ configPath, mainPath }: BrokerPlace, named: string): string {
  const isInPlace = [configPath, mainPath].some((path) => isBelow(dirname(path), named));
  return isInPlace ? named : join(dirname(mainPath), 'files');
}

/** Returns a folder as the configuration names it: relative if it is below its own. */
export const asWritten = (configPath: string, folder: string): string =>
  isBelow(dirname(configPath), folder) ? relative(dirname(configPath), folder) : folder;

/**
 * Whether a certificate or its key may be written to a path. The name must be one that no other program reads as
 * anything else, and not that of a store's log.
 */
export const isCertificatePlace = (configPath: string, path: string): boolean =>
  isBelow(dirname(configPath), path) && /[^\\/]\.(?:crt|cer|pem|key)$/i.test(path);
