/** The machines of a run, each with a line to the database and a small disk of its own, so that both can fail. */
import { createSmallDisk, type SmallDisk } from '../soak/small-disk.ts';
import { type DatabaseLine, openLine } from '../standby/database-line.ts';
import { createMachines, type Machine } from '../standby/machines.ts';

export interface Placed {
  name: string;
  machine: Machine;
  /** How many versions it is later than this checkout. */
  readonly version: number;
  /** Starts it; with a number, as another version from now on. */
  start(version?: number): Promise<void>;
  line: DatabaseLine;
  /** The first machine has an ordinary folder, and so have all where no disk can be mounted. */
  disk: SmallDisk | null;
}

const diskSize = '512m';
const laterVersion = new URL('../standby/later-version.ts', import.meta.url);

function place(name: string, machine: Machine, line: DatabaseLine, disk: SmallDisk | null): Placed {
  let version = 0;
  return {
    name,
    machine,
    line,
    disk,
    get version() {
      return version;
    },
    async start(next = version) {
      version = next;
      const env = { NODE_OPTIONS: `--import ${laterVersion.href}`, MUSTER_TEST_LATER: String(version) };
      await machine.start(version === 0 ? {} : env);
    },
  };
}

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
  const placed = [place('first', first, lineOf('first'), null)];
  await placed[0]?.start();
  await first.active();
  for (const name of names.slice(1)) {
    const machine = await machines.add(name);
    const disk = await createSmallDisk(diskSize, machine.folder);
    parts.defer(() => disk.remove());
    const one = place(name, machine, lineOf(name), disk.fault === null ? disk : null);
    await one.start();
    placed.push(one);
  }
  return placed;
}
