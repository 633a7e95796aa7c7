/**
 * The small files of a broker: configuration, overlay of a platform, and certificates
 * (specification/backup.md#contents).
 */
import { readdir, readFile, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { codeOf, codeText } from '#platform/error-text.ts';
import { tlsFiles } from '../config/https-block.ts';
import { type SvcConfig, WrittenConfig } from '../config/svc-config.ts';
import {
  BackupError,
  configName,
  foreignCertificateName,
  foreignKeyName,
  overlayName,
  tlsFolder,
} from './backup-format.ts';

/** The files that a broker owns. `configPath`, `mainPath`, and `activityPath` are absolute. */
export interface BrokerPlace {
  configPath: string;
  mainPath: string;
  activityPath: string;
}

/** @throws BackupError for a store that is not there; SQLite would say less. */
export async function refuseMissing({ mainPath, activityPath }: BrokerPlace): Promise<void> {
  for (const path of [mainPath, activityPath]) {
    const isThere = await stat(path).then(
      (found) => found.isFile(),
      () => false,
    );
    if (!isThere)
      throw new BackupError(
        `there is no store "${path}". Name the stores in "stores" of the configuration, with --db and --activity-db, or with SVC_DB_PATH and SVC_ACTIVITY_DB_PATH.`,
      );
  }
}

/** A configuration as it is written, checked only as far as a backup needs. */
export type ReadConfig = Pick<SvcConfig, 'https' | 'files'> & { team: { name: string } };

export const overlayPath = (configPath: string): string => `${configPath}.platform.json`;

async function readIfThere(path: string): Promise<Buffer | null> {
  try {
    return await readFile(path);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw new BackupError(`"${path}" cannot be read (${codeText(error)}). Make it readable for this user.`);
  }
}

/** @throws BackupError if it cannot be used. */
export function parseConfig(content: Uint8Array, path: string): ReadConfig {
  try {
    const parsed = WrittenConfig.safeParse(JSON.parse(new TextDecoder().decode(content)));
    if (parsed.success) return parsed.data;
  } catch {
    // The sentence below says so.
  }
  throw new BackupError(
    `the configuration "${path}" is not valid. Correct it first; "muster doctor" says where.`,
  );
}

/** Returns a path of the configuration as an absolute path. */
export const fromConfig = (configPath: string, written: string): string =>
  resolve(dirname(configPath), written);

/** Returns the overlay and the certificates that the broker owns, by their names in the backup. */
export async function readOwnFiles(configPath: string): Promise<Map<string, Buffer>> {
  const { folder } = tlsFiles(configPath);
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const names = entries.filter((entry) => entry.isFile() && !entry.name.endsWith('.tmp'));
  return readAll([
    [overlayName, overlayPath(configPath)],
    ...names.map(({ name }) => [`${tlsFolder}${name}`, join(folder, name)] as const),
  ]);
}

/** Certificates in another folder. */
function readForeign(configPath: string, { https }: ReadConfig): Promise<Map<string, Buffer>> {
  const written = https && [
    [foreignCertificateName, fromConfig(configPath, https.cert)] as const,
    [foreignKeyName, fromConfig(configPath, https.key)] as const,
  ];
  const { folder } = tlsFiles(configPath);
  return readAll((written ?? []).filter(([, path]) => dirname(path) !== folder));
}

/** Returns the content of each file that is there. */
async function readAll(pathByName: readonly (readonly [string, string])[]): Promise<Map<string, Buffer>> {
  const contentByName = new Map<string, Buffer>();
  for (const [name, path] of pathByName) {
    const content = await readIfThere(path);
    if (content !== null) contentByName.set(name, content);
  }
  return contentByName;
}

/** Returns every small file by its name in the backup. @throws BackupError without a configuration. */
export async function readSmallFiles(configPath: string): Promise<Map<string, Buffer>> {
  const config = await readIfThere(configPath);
  if (config === null)
    throw new BackupError(
      `there is no configuration "${configPath}". Name the broker's configuration with --config-path or SVC_CONFIG_PATH.`,
    );
  const parsed = parseConfig(config, configPath);
  return new Map([
    [configName, config],
    ...(await readOwnFiles(configPath)),
    ...(await readForeign(configPath, parsed)),
  ]);
}

/** Whether both have the same files with the same bytes. */
export const areSame = (a: ReadonlyMap<string, Buffer>, b: ReadonlyMap<string, Buffer>): boolean =>
  a.size === b.size && [...a].every(([name, content]) => b.get(name)?.equals(content));
