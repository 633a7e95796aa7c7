/** Which of the process's threads goes first when the machine has less to give than they ask for. */
import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';

/** As `nice` starts a job in the background: a tenth of the time of somebody who needs all of it. */
const background = 10;

/**
 * The thread this is called on lets the others go first. Linux knows priorities of single threads and takes a thread's id where a process's
 * is asked for; elsewhere nothing changes. It cannot be taken back.
 */
export function goBehindOthers(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(Number(readlinkSync('/proc/thread-self').split('/').at(-1)), background);
  } catch {
    // Without /proc, or where it is forbidden, the thread stays as it is.
  }
}
