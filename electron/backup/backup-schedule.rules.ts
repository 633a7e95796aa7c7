/** When the desktop app backs up by itself (specification/desktop.md#backups). */

const dayMs = 86_400_000;
const retryMs = 3_600_000;

export interface BackupPast {
  /** Epoch ms; null before the first one. */
  endedAt: number;
  isDone: boolean;
}

/** A day after the last backup, or an hour after one that failed. A time ahead of the clock counts for nothing. */
export function isBackupDue(last: BackupPast | null, now: number): boolean {
  if (last === null || last.endedAt > now) return true;
  return now - last.endedAt >= (last.isDone ? dayMs : retryMs);
}
