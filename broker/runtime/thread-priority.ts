/** Which of the process's threads go first if the machine has less to give than they need. */
import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';

/** Like a background job started with `nice`: a tenth of the time of a thread that needs all of it. */
const background = 10;

/**
 * Lets the other threads go before the calling one. Linux has priorities of single threads and accepts a
 * thread's id in place of a process's; elsewhere, nothing changes. It cannot be undone.
 */
export function goBehindOthers(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)), background);
  } catch {
    // Without /proc, or if it is forbidden, the thread stays as it is.
  }
}
