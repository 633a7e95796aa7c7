/**
 * The places in which a restore puts the stores and files that the configuration of a backup names
 * (specification/backup.md#restore). A backup could name any path of the machine, so nothing leaves the place that the
 * user named.
 */
import { dirname, join, relative, resolve } from 'node:path';
import { isBelow, type NamedStores } from '#platform/store-places.ts';
import { isBucket } from '../storage/blobs/bucket-address.ts';
import type { BrokerPlace } from './broker-files.ts';

/** Returns the stores that a backup names for this configuration, without those outside its folder. */
export function storesInPlace(configPath: string, { main, activity }: NamedStores): NamedStores {
  const inPlace = (path: string | null) =>
    path !== null && isBelow(dirname(resolve(configPath)), path) ? path : null;
  return { main: inPlace(main), activity: inPlace(activity) };
}

/**
 * Returns the folder for contents of files: the one that the backup names if it is below the folder of the
 * configuration or of the main store, else `files` beside the main store. All paths are absolute, and a bucket is none.
 */
export function filesFolder({ configPath, mainPath }: BrokerPlace, named: string): string {
  const isInPlace = !isBucket(named) && [configPath, mainPath].some((path) => isBelow(dirname(path), named));
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
