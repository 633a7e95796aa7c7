/** The threads of the process that go first if the machine has less to give than they need. */
import { readlinkSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/**
 * How far a thread stands behind the others, as `nice` counts: of a core that another thread needs completely,
 * `background` work gets a tenth, and `reading` three tenths.
 */
const behind = { reading: 4, background: 10 } as const;
const lowest = 19;

/**
 * Lets the other threads go before the calling one. Linux has priorities of single threads and accepts a
 * thread's id in place of a process's; elsewhere, nothing changes. It cannot be undone.
 */
export function goBehindOthers(work: keyof typeof behind): void {
  if (process.platform !== 'linux') return;
  try {
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    setPriority(thread, Math.min(lowest, getPriority(thread) + behind[work]));
  } catch {
    // Without /proc, or if it is forbidden, the thread stays as it is.
  }
}
