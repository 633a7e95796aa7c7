/** What a run keeps on disk: its log, its private folder, its state, and the activity that waits for the broker. */
import { rm } from 'node:fs/promises';
import type { Send } from '#protocol/client.ts';
import type { AppPaths } from '#protocol/paths.ts';
import { type ActivityUploads, startActivityUploads } from '../activity/activity-uploads.ts';
import { abandonedFolders, makeOwnedFolder } from '../process/owned-folder.ts';
import { openRunLog, type RunLog } from './run-log.ts';
import { openRunState, type RunState } from './run-state.ts';

export interface RunRecords {
  log: RunLog;
  /** Of this run alone, 0700; removed at the end. */
  folder: string;
  state: RunState;
  uploads: ActivityUploads;
}

export interface RunRecordsOptions {
  paths: Pick<AppPaths, 'logsDir' | 'runsDir'>;
  /** The broker's address. */
  url: string;
  member: string;
  send: Send;
  /** Whether the run came far enough to wait for its uploads at the end. */
  hasActivity(): boolean;
  tell(line: string): void;
}

const uploadAtExitTimeoutMs = 3000;

/** Opens them; each is closed by `parts`. @throws the system's error. */
export async function openRunRecords(
  parts: AsyncDisposableStack,
  { paths, url, member, send, hasActivity, tell }: RunRecordsOptions,
): Promise<RunRecords> {
  const log = await openRunLog(paths.logsDir, member);
  parts.defer(() => {
    log.write('ended');
    return log.close();
  });
  // What cannot be removed does not stop the start.
  for (const path of abandonedFolders(paths.runsDir, 'run'))
    await rm(path, { recursive: true, force: true }).catch(() => undefined);
  const folder = makeOwnedFolder(paths.runsDir, 'run');
  // What cannot be removed now is removed at the next start.
  parts.defer(() => rm(folder, { recursive: true, force: true }).catch(() => undefined));
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
