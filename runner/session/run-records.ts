/** The records that a run keeps on disk: its log, its private folder, its state, and the activity that waits for the broker. */
import type { Send } from '#protocol/client.ts';
import type { AppPaths } from '#protocol/paths.ts';
import { type ActivityUploads, startActivityUploads } from '../activity/activity-uploads.ts';
import { clearRunFolder, endDeadRuns, type RunOwner, writeMarker } from '../process/dead-runs.ts';
import { makeOwnedFolder } from '../process/owned-folder.ts';
import { openRunLog, type RunLog } from './run-log.ts';
import { openRunState, type RunState } from './run-state.ts';

type Paths = Pick<AppPaths, 'logsDir' | 'runsDir'>;

/** The place of a run, opened before it takes its lease. */
export interface RunPlace {
  log: RunLog;
  /** Of this run alone, 0700; removed at the end. */
  folder: string;
  /** Earlier runs of this member on this machine whose processes are gone. */
  deadRunIds: readonly string[];
  /** The lease was not returned: the folder still names this run, so that the next one may replace it. */
  keepMarker(): void;
}

/**
 * Ends what dead runs left on this machine, and opens the place of this one; `parts` closes it. @throws the
 * system's error.
 */
export async function openRunPlace(
  parts: AsyncDisposableStack,
  { paths, owner, runId }: { paths: Paths; owner: RunOwner; runId: string },
): Promise<RunPlace> {
  const log = await openRunLog(paths.logsDir, owner.member);
  parts.defer(() => {
    log.write('ended');
    return log.close();
  });
  const dead = await endDeadRuns(paths.runsDir, owner);
  if (dead.ended > 0) log.write('ended what interrupted runs left running', { processes: dead.ended });
  const folder = makeOwnedFolder(paths.runsDir, 'run');
  let isMarkerKept = false;
  // A folder that cannot be removed now is removed at the next start.
  parts.defer(() => clearRunFolder(folder, isMarkerKept).catch(() => undefined));
  writeMarker(folder, owner, runId);
  return {
    log,
    folder,
    deadRunIds: dead.runIds,
    keepMarker() {
      isMarkerKept = true;
    },
  };
}

export interface RunRecords extends Pick<RunPlace, 'log' | 'folder'> {
  state: RunState;
  uploads: ActivityUploads;
}

export interface RunRecordsOptions {
  paths: Paths;
  owner: RunOwner;
  place: RunPlace;
  send: Send;
  /** Whether the run came far enough to wait for its uploads at the end. */
  hasActivity(): boolean;
  tell(line: string): void;
}

const uploadAtExitTimeoutMs = 3000;

/**
 * Opens what runs of this member share, so the run must have the lease; each is closed by `parts`. @throws the
 * system's error.
 */
export async function openRunRecords(
  parts: AsyncDisposableStack,
  { paths, owner, place, send, hasActivity, tell }: RunRecordsOptions,
): Promise<RunRecords> {
  const { log, folder } = place;
  const { url, member } = owner;
  const state = await openRunState(paths.runsDir, url, member);
  const uploads = await startActivityUploads({
    folder: paths.runsDir,
    url,
    member,
    send,
    log: log.write,
  });
  parts.defer(async () => {
    if (!hasActivity()) return void (await uploads.close(0));
    const dropped = await uploads.close(uploadAtExitTimeoutMs);
    if (dropped !== null) tell(dropped);
  });
  return { log, folder, state, uploads };
}
