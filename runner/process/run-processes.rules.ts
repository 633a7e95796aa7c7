/** The processes that belong to a run (specification/runner.md#ends-of-a-run). */

export interface ProcessRow {
  pid: number;
  /** Its parent; 1 if the parent is gone. */
  ppid: number;
  /** Its process group. */
  pgid: number;
  /** When it started, as the system counts: with the id, the identity of the process. */
  startedAt: string;
  /** The value of `runVariable` in the environment with which it started; null for none, or if it is hidden. */
  run: string | null;
}

export type ProcessId = Pick<ProcessRow, 'pid' | 'startedAt'>;

/** The known facts about a run. */
export interface RunProcesses {
  /** The value of the run's variable in the environment of its processes. */
  run: string;
  /** Processes that were seen to belong to the run: the leader of its agent's group first. */
  known: readonly ProcessId[];
}

const isSame = (a: ProcessId, b: ProcessId): boolean => a.pid === b.pid && a.startedAt === b.startedAt;

/**
 * Returns the processes of the run: those with its variable, those that are known and still the same process,
 * the groups that these lead, and the descendants of all of them. A reused process id is not the same process,
 * because it has another start time. `ownPid` and its ancestors are never among them.
 */
export function processesOf(
  { run, known }: RunProcesses,
  table: readonly ProcessRow[],
  ownPid: number,
): ProcessRow[] {
  const spared = ancestorsOf(ownPid, table);
  const found = new Set(table.filter((row) => row.run === run || known.some((one) => isSame(one, row))));
  const groups = new Set([...found].map(({ pid }) => pid));
  for (const row of table) if (groups.has(row.pgid)) found.add(row);
  const parents = new Set([...found].map(({ pid }) => pid));
  for (let size = -1; size !== found.size; ) {
    size = found.size;
    for (const row of table)
      if (parents.has(row.ppid) && !found.has(row)) {
        found.add(row);
        parents.add(row.pid);
      }
  }
  return [...found].filter(({ pid }) => pid > 1 && !spared.has(pid));
}

/** Includes the process itself. */
function ancestorsOf(pid: number, table: readonly ProcessRow[]): Set<number> {
  const parentByPid = new Map(table.map((row) => [row.pid, row.ppid]));
  const found = new Set<number>();
  for (let at: number | undefined = pid; at !== undefined && !found.has(at); at = parentByPid.get(at))
    found.add(at);
  return found;
}
