/**
 * The runner's reports about its agent: stored on disk immediately, uploaded when the broker is available, and
 * counted when they are lost.
 */
import type { ActivityEvent } from '#protocol/activity.ts';
import type { Send } from '#protocol/client.ts';
import { type DropReason, openSpool, spoolFolder } from './spool.ts';
import { createUploader, type UploaderOptions } from './uploader.ts';

export interface ActivityUploadsOptions extends Pick<UploaderOptions, 'pauseMs'> {
  /** paths.runsDir; each broker and member has a folder of its own in it. */
  folder: string;
  /** The broker's address, as in the credentials. */
  url: string;
  member: string;
  send: Send;
  log: (event: string, data?: object) => void;
  /** The upper bound of waiting events on disk; 64 MiB by default. */
  maxBytes?: number;
}

export interface ActivityUploads {
  /** Never throws. The event is already masked. */
  add(event: ActivityEvent): void;
  /** Events on disk that the broker does not have yet. */
  readonly waiting: number;
  /** How many events of this run will never arrive. */
  readonly dropped: number;
  /**
   * Uploads as many events as possible within the time, and leaves the rest for the next start. Resolves with a
   * text for the user: how many were lost and why, and how many wait; null if all arrived. It may be called
   * again.
   */
  close(timeoutMs: number): Promise<string | null>;
}

const causeByReason: Record<DropReason, string> = {
  full: 'the space for waiting events was full before the broker had accepted them',
  unwritable: 'they could not be written to disk',
  damaged: 'they could not be read back from disk',
  'too large': 'they were too large',
  refused: 'the broker refused them',
};

export async function startActivityUploads(options: ActivityUploadsOptions): Promise<ActivityUploads> {
  const { url, member, send, log, maxBytes, pauseMs } = options;
  const countByReason = new Map<DropReason, number>();
  const total = (): number => [...countByReason.values()].reduce((sum, count) => sum + count, 0);

  function onDropped(reason: DropReason, count: number): void {
    countByReason.set(reason, (countByReason.get(reason) ?? 0) + count);
    log('activity dropped', { reason: causeByReason[reason], count, total: total() });
  }

  const folder = spoolFolder(options.folder, url, member);
  const spool = await openSpool({ folder, onDropped, ...(maxBytes !== undefined && { maxBytes }) });
  const uploader = createUploader({ spool, send, member, onDropped, log, ...(pauseMs && { pauseMs }) });
  if (spool.waiting > 0) uploader.wake();

  function droppedSentence(): string | null {
    if (total() === 0) return null;
    const parts = [...countByReason].map(([reason, count]) => `${count} because ${causeByReason[reason]}`);
    return `${counted(total())} lost: ${parts.join(', ')}`;
  }

  /** Frozen at the end, because a later start may have taken over what waited. */
  let left: number | null = null;
  const waiting = (): number => left ?? spool.waiting;

  return {
    add(event) {
      spool.append(event);
      uploader.wake();
    },
    get waiting() {
      return waiting();
    },
    get dropped() {
      return total();
    },
    async close(timeoutMs) {
      if (left === null) {
        await uploader.flush(timeoutMs);
        await uploader.stop();
        left = spool.waiting;
        spool.close();
      }
      const late =
        left === 0
          ? null
          : `${counted(left)} kept for the next run, because the broker did not accept them in time`;
      return [droppedSentence(), late].filter((part) => part !== null).join('; ') || null;
    },
  };
}

const counted = (count: number): string =>
  count === 1 ? '1 activity event was' : `${count} activity events were`;
