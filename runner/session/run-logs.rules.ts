/** The logs of earlier runs that are removed (specification/runner.md#logs). */

export interface LogFile {
  path: string;
  bytes: number;
  /** The last write; epoch ms. */
  writtenAt: number;
  /** Its run still writes it. */
  isInUse: boolean;
}

const maxAgeMs = 30 * 24 * 60 * 60 * 1000;
const maxBytes = 100 * 1024 * 1024;

/** Returns those older than 30 days, and the oldest ones as long as all files exceed 100 MiB. Never one in use. */
export function logsToRemove(files: readonly LogFile[], now: number): LogFile[] {
  let bytes = files.reduce((sum, one) => sum + one.bytes, 0);
  const unused = files.filter(({ isInUse }) => !isInUse).sort((a, b) => a.writtenAt - b.writtenAt);
  return unused.filter((file) => {
    if (now - file.writtenAt <= maxAgeMs && bytes <= maxBytes) return false;
    bytes -= file.bytes;
    return true;
  });
}
