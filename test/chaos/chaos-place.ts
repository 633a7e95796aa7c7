/** The machines of a run, each with a line to the database and a small disk of its own, so that both can fail. */
import { createSmallDisk, type SmallDisk } from '../soak/small-disk.ts';
import { type DatabaseLine, openLine } from '../standby/database-line.ts';
import { createMachines, type Machine } from '../standby/machines.ts';

export interface Placed {
  machine: Machine;
  line: DatabaseLine;
  /** The first machine has an ordinary folder, and so have all where no disk can be mounted. */
  disk: SmallDisk | null;
}

const diskSize = '512m';

/** Starts `count` machines; the first one has the team. */
export async function placeMachines(
  { database, count, members }: { database: string; count: number; members: readonly string[] },
  parts: AsyncDisposableStack,
): Promise<Placed[]> {
  const lines = new Map<string, DatabaseLine>();
  parts.defer(() => {
    for (const line of lines.values()) line.close();
  });
  const names = ['first', ...Array.from({ length: count - 1 }, (_, n) => `machine-${n + 2}`)];
  for (const name of names) lines.set(name, await openLine(database));
  const lineOf = (name: string): DatabaseLine => {
    const line = lines.get(name);
    if (line === undefined) throw new Error(`no line for ${name}`);
    return line;
  };
  const machines = await createMachines((name) => lineOf(name).url, members);
  parts.defer(() => machines.remove());
  const { first } = machines;
  await first.start();
  await first.active();
  const placed: Placed[] = [{ machine: first, line: lineOf('first'), disk: null }];
  for (const name of names.slice(1)) {
    const machine = await machines.add(name);
    const disk = await createSmallDisk(diskSize, machine.folder);
    parts.defer(() => disk.remove());
    await machine.start();
    placed.push({ machine, line: lineOf(name), disk: disk.fault === null ? disk : null });
  }
  return placed;
}
