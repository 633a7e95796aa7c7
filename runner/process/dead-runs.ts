/**
 * The remains of this user's killed runs on this machine: processes that still run, folders, and leases. Each run
 * has a private folder that names its process; the next run finds the folders whose process is gone
 * (specification/runner.md#ends-of-a-run).
 */
import { readFileSync, statSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { createFileSync } from '#platform/synced-file.ts';
import { readGroup } from './group-file.ts';
import { abandonedFolders } from './owned-folder.ts';
import { controlProcesses } from './run-processes.ts';

/** The owner of a run: its member, and the broker. */
export interface RunOwner {
  /** The broker's address. */
  url: string;
  member: string;
}

const Marker = z.object({ schema: z.literal(1), runId: z.uuid(), url: z.string(), member: z.string() });
type Marker = z.infer<typeof Marker>;

const pathIn = (folder: string): string => join(folder, 'run.json');
const askMs = 2000;
/** A lease lapses much earlier, and then nobody needs the run's id any more. */
const keptForOthersMs = 60 * 60 * 1000;

/** Writes which run this folder belongs to, 0600. Call it before the run takes its lease. @throws the system's error. */
export function writeMarker(folder: string, { url, member }: RunOwner, runId: string): void {
  const marker: Marker = { schema: 1, runId, url, member };
  createFileSync(pathIn(folder), Buffer.from(JSON.stringify(marker)), 0o600);
}

/** Removes the folder, or everything in it but the marker. @throws the system's error. */
export async function clearRunFolder(folder: string, isMarkerKept: boolean): Promise<void> {
  const gone = isMarkerKept
    ? (await readdir(folder)).map((name) => join(folder, name)).filter((path) => path !== pathIn(folder))
    : [folder];
  for (const path of gone) await rm(path, { recursive: true, force: true });
}

function readMarker(folder: string): Marker | null {
  try {
    return Marker.parse(JSON.parse(readFileSync(pathIn(folder), 'utf8')));
  } catch {
    return null;
  }
}

const isOld = (folder: string): boolean => {
  const found = statSync(pathIn(folder), { throwIfNoEntry: false });
  return found === undefined || Date.now() - found.mtimeMs > keptForOthersMs;
};

export interface DeadRuns {
  /** How many processes were ended. */
  ended: number;
  /** The ids of the owner's own dead runs: it may replace their leases. */
  runIds: string[];
}

/**
 * Ends the processes of all dead runs and removes their folders. The folder of another member's run stays for
 * an hour, because that member's next run needs its id. Concurrent calls do no harm.
 */
export async function endDeadRuns(runsDir: string, owner: RunOwner | null): Promise<DeadRuns> {
  const folders = ['run', 'test'].flatMap((prefix) => abandonedFolders(runsDir, prefix));
  const counts = await Promise.all(
    folders.map((folder) => controlProcesses(basename(folder), readGroup(folder)).end(askMs)),
  );
  const runIds: string[] = [];
  for (const folder of folders) {
    const marker = readMarker(folder);
    const isOwn = marker !== null && marker.url === owner?.url && marker.member === owner.member;
    if (isOwn) runIds.push(marker.runId);
    // A folder that cannot be removed does not stop the start.
    if (isOwn || marker === null || isOld(folder))
      await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
  return { ended: counts.reduce((sum, one) => sum + one, 0), runIds };
}
