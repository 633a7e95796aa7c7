/** How many files and connections the system lets this process have open. */
import { readFileSync } from 'node:fs';

/** The number of descriptors that the stores, the log, files, and pushes may have open beside the connections. */
const others = 128;

/** Returns the limit for connections; null if the system does not say (only Linux does). */
export function connectionLimit(path = '/proc/self/limits'): number | null {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return null;
  }
  const [, soft] = /^Max open files\s+(\d+)/m.exec(text) ?? [];
  return soft === undefined ? null : Math.max(2, Number(soft) - others);
}

/** Returns a sentence for the person who runs the broker if fewer connections are possible than it may accept. */
export function fileLimitNotice(possible: number | null, wanted: number): string | null {
  if (possible === null || possible >= wanted) return null;
  return `the system lets this process have so few files open that it accepts only ${possible} connections instead of ${wanted}; raise the limit of open files (LimitNOFILE of systemd, or "ulimit -n")`;
}
