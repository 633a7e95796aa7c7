/**
 * The configuration, the overlay of a platform, and the certificates of the broker: the same on every machine that stands
 * by (docs/decisions/0068-one-active-broker.md). Certificates in folders of the operator stay where they are.
 */
import { createHash } from 'node:crypto';
import { readFile, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { codeOf } from '#platform/error-text.ts';
import { isContentOf, makeFolderOf, replacePrivateFile } from '#platform/private-file.ts';
import { createSerialQueue } from '#platform/serial-queue.ts';
import { configName, overlayName, tlsFolder } from '../backup/backup-format.ts';
import { overlayPath, readOwnFiles } from '../backup/broker-files.ts';
import { tlsFiles } from '../config/https-block.ts';
import { StartUpError } from '../runtime/start-up-error.ts';
import { readMark } from '../storage/blobs/shared-mark.ts';
import type { LoggedFile, PageLog, PageLogOptions } from './page-log.ts';
import { createPersistence } from './persistence.ts';
import { knownMarkPath } from './shared-files.ts';

export interface FilePlacer {
  /**
   * Call it before a store is copied. @throws StartUpError if the files of another team would be replaced; Error while the
   * database does not have them yet.
   */
  refuseOther(log: PageLog): Promise<void>;
  /** Makes the files on disk the same as in the database. */
  place(log: PageLog): Promise<void>;
  /** This machine had a configuration when it started. */
  readonly isConfigured: boolean;
}

/** Not in backups: a team that is restored has its files in another folder. */
const markName = 'share';

function pathOf(configPath: string, name: string): string {
  if (name === configName) return configPath;
  if (name === markName) return knownMarkPath(configPath);
  if (name === overlayName) return overlayPath(configPath);
  const file = name.slice(tlsFolder.length);
  if (!name.startsWith(tlsFolder) || file === '' || basename(file) !== file)
    throw new Error(`the database has a file "${name}" that this version does not know; update Muster`);
  return join(tlsFiles(configPath).folder, file);
}

const isFile = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.size > 0,
    () => false,
  );

const hashOf = (content: Uint8Array): string => createHash('sha256').update(content).digest('hex');
const knownPath = (configPath: string): string => `${configPath}.known`;

/**
 * Keeps which contents of the configuration the broker itself wrote, the one of the database first. A full disk refuses no
 * note that is there.
 */
async function noteKnown(configPath: string, ...contents: Uint8Array[]): Promise<void> {
  const path = knownPath(configPath);
  const note = [Buffer.from([...new Set(contents.map(hashOf))].join(' '))];
  if (!(await isContentOf(path, note).catch(() => false))) await replacePrivateFile(path, note);
}

/**
 * Whether a person changed the configuration on this machine, based on what the database has: then it stays, and the
 * database gets it when this machine is the active one. @throws StartUpError if the database has another one by now.
 */
async function isEdited(configPath: string, content: Uint8Array): Promise<boolean> {
  const orNothing = (error: unknown) => {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  };
  const own = await readFile(configPath).catch(orNothing);
  const known = (await readFile(knownPath(configPath), 'utf8').catch(orNothing))?.split(' ');
  if (own === null || known === undefined || known.includes(hashOf(own)) || own.equals(content)) return false;
  if (hashOf(content) === known[0]) return true;
  throw new StartUpError(
    `"${configPath}" was changed on this machine, and the team’s configuration was changed on another one since; move the file to another folder, start again, and make the change in the file that is there then`,
  );
}

/** Call it before the store is copied. */
export async function createFilePlacer(configPath: string, mainPath: string): Promise<FilePlacer> {
  // A machine that has been a standby has both.
  const isConfigured = await isFile(configPath);
  const isForeign = isConfigured && !(await isFile(mainPath));
  let version = 0;

  async function placeOne({ name, content }: LoggedFile): Promise<void> {
    const path = pathOf(configPath, name);
    if (content === null) {
      await rm(path, { force: true });
      return;
    }
    if (name === configName && (await isEdited(configPath, content))) return;
    if (!(await isContentOf(path, [content]).catch(() => false))) {
      await makeFolderOf(path);
      await replacePrivateFile(path, [content]);
    }
    if (name === configName) await noteKnown(configPath, content);
  }

  return {
    isConfigured,
    async refuseOther(log) {
      if (!isForeign || version > 0) return;
      const { files } = await log.filesAfter(0);
      const own = files.find(({ name }) => name === configName)?.content ?? null;
      if (own !== null && (await isContentOf(configPath, [own]))) return;
      if (files.length === 0 && (await log.completeLogs()).size === 0) return;
      if (files.length === 0) throw new Error('the database does not have the configuration of the team yet');
      throw new StartUpError(
        `"${configPath}" is the configuration of a team whose store is not here, and the database that the machines share has a team already; move the file to another folder, or use an empty database`,
      );
    },
    async place(log) {
      const next = await log.filesAfter(version);
      // The configuration names the others.
      for (const file of next.files.toSorted(
        (a, b) => Number(a.name === configName) - Number(b.name === configName),
      ))
        await placeOne(file);
      version = next.version;
    },
  };
}

export interface SmallFilesOptions extends PageLogOptions {
  epoch: number;
  configPath: string;
}

export interface SmallFiles {
  /**
   * Resolves when the database has the small files as they are on disk, and the configuration as the broker loaded or wrote it
   * last, however long the database cannot be reached. A person may be changing the configuration on disk. `config`: its pieces,
   * if they are others than before. @throws Deposed if another broker took over; BackupError if a file cannot be read.
   */
  keep(config?: readonly Uint8Array[]): Promise<void>;
  end(): void;
}

/** Of the active broker. */
export function createSmallFiles({ epoch, configPath, ...options }: SmallFilesOptions): SmallFiles {
  const inTurn = createSerialQueue();
  const persistence = createPersistence(options);
  let version = 0;
  let config: Buffer | null = null;
  /** The files that the database has. */
  let kept: ReadonlyMap<string, Buffer> = new Map();

  /** At first, and when the database lost what it had confirmed. */
  async function readKept(log: PageLog): Promise<void> {
    const last = await log.filesAfter(version - 1);
    if (version > 0 && last.version >= version) return;
    const all = await log.filesAfter(0);
    kept = new Map(all.files.flatMap(({ name, content }) => (content === null ? [] : [[name, content]])));
    version = Math.max(version, all.version);
  }

  /** A write by the broker is no change by a person, also if the database never gets it. */
  async function noteWritten(pieces: readonly Uint8Array[]): Promise<void> {
    config = Buffer.concat(pieces);
    const before = kept.get(configName);
    if (before !== undefined) await noteKnown(configPath, before, config);
  }

  async function keepNow(pieces: readonly Uint8Array[] | undefined): Promise<void> {
    const present = await readOwnFiles(configPath);
    const mark = await readMark(knownMarkPath(configPath));
    if (mark !== null) present.set(markName, Buffer.from(`${mark}\n`));
    if (pieces !== undefined) await noteWritten(pieces);
    if (config === null) throw new Error('this broker has no configuration, so it cannot be the active one');
    present.set(configName, config);
    await persistence.persist(readKept);
    const changed: LoggedFile[] = [
      ...[...present].flatMap(([name, content]) =>
        kept.get(name)?.equals(content) ? [] : { name, content },
      ),
      ...[...kept.keys()].flatMap((name) => (present.has(name) ? [] : { name, content: null })),
    ];
    if (changed.length === 0) return;
    await persistence.persist((log) => log.putFiles(version + 1, epoch, changed));
    version += 1;
    kept = present;
    await noteKnown(configPath, config);
  }

  return {
    keep: (pieces) => inTurn(() => keepNow(pieces)),
    end: persistence.end,
  };
}
