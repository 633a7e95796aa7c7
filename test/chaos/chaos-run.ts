/**
 * Several machines with a real PostgreSQL, members who post and listen all the time, and faults: what was acknowledged is
 * compared with what every machine has afterwards (docs/specification/standby.md).
 */
import { setTimeout as after } from 'node:timers/promises';
import type { Message } from '#protocol/message.ts';
import { openResumingReader, type ResumingReader } from '../crash/resuming-reader.ts';
import { createSeededRandom, type SeededRandom } from '../crash/seeded-random.ts';
import type { Machine } from '../standby/machines.ts';
import { type Postgres, preparePostgres } from '../standby/postgres-server.ts';
import { until } from '../testing/until.ts';
import { type Placed, placeMachines } from './chaos-place.ts';
import { createUpdates, type Updates } from './chaos-updates.ts';

export const faultKinds = ['kill', 'suspend', 'stop', 'database', 'cut', 'disk', 'update'] as const;
export type FaultKind = (typeof faultKinds)[number];

export interface ChaosOptions {
  /** No fault begins later. */
  seconds: number;
  /** So many faults, each as soon as the team is answered after the one before; null: with waits of some seconds. */
  count: number | null;
  /** Two or more. */
  machines: number;
  kinds: readonly FaultKind[];
  seed: number;
  say: (line: string) => void;
}

export interface ChaosReport {
  faults: Record<FaultKind, number>;
  acknowledged: number;
  /** Acknowledged messages that a machine does not have. */
  lost: number;
  /** Messages that a machine has more than once. */
  twice: number;
  streams: number;
  /** Streams that miss a message, or have one twice. */
  streamsWrong: number;
  /** Times that a machine took over, or said that it could, although a later version had written the stores. */
  olderActive: number;
  longestPushMs: number;
  /** From the first fault to the last. */
  wallSeconds: number;
}

const members = ['ada', 'ben', 'cy', 'di', 'eve', 'fay'];
const betweenFaultsMs = { least: 2000, most: 6000 };
/** Longer than the lease. */
const suspendedMs = 5000;
const fullMs = 4000;
const againMs = 100;

export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  await using parts = new AsyncDisposableStack();
  const postgres = await preparePostgres();
  parts.defer(() => postgres.remove());
  await postgres.start();
  const database = await postgres.createDatabase();
  const placed = await placeMachines({ database, count: options.machines, members }, parts);
  const all = placed.map(({ machine }) => machine);
  const random = createSeededRandom(options.seed);
  const updates = createUpdates(placed, database, random);
  const faults = createFaults(placed, { postgres, updates, random }, options);
  const team = createTeam(all);
  parts.defer(() => team.close());
  await team.ready();
  const begun = performance.now();
  await faults.play(options, () => team.answered());
  const wallSeconds = Math.round((performance.now() - begun) / 1000);
  options.say('no more faults: everything is compared');
  await updates.finish();
  await team.stop();
  const streamsWrong = await team.wrongStreams();
  const { lost, twice } = await compareEach(placed, team.acknowledged);
  return {
    faults: faults.counts,
    acknowledged: team.acknowledged.length,
    lost,
    twice,
    streams: members.length,
    streamsWrong,
    olderActive: updates.olderActive(),
    longestPushMs: Math.round(team.longestPushMs()),
    wallSeconds,
  };
}

/** Members who repeat each message with its key until it is acknowledged, and streams that resume, wherever they are answered. */
function createTeam(all: readonly Machine[]) {
  const acknowledged: Message[] = [];
  let longestPushMs = 0;
  let isOver = false;
  /** The one that answered last. */
  let active = 0;
  const next = (tried: number) => {
    if (tried === active) active = (active + 1) % all.length;
  };
  const machineAt = (index: number) => all[index] as Machine;

  async function post(from: string, body: string): Promise<Message> {
    for (;;) {
      const tried = active;
      const answer = await machineAt(tried).tryPush(from, body);
      if (answer !== null) return answer;
      next(tried);
      await after(againMs);
    }
  }
  async function send(from: string): Promise<void> {
    for (let n = 0; !isOver; n += 1) {
      const begun = performance.now();
      acknowledged.push(await post(from, `${from} ${n}`));
      longestPushMs = Math.max(longestPushMs, performance.now() - begun);
    }
  }
  const readers: ResumingReader[] = members.map((member) =>
    openResumingReader(() => machineAt(active).url, member, machineAt(0).tokenOf(member)),
  );
  let sending: Promise<unknown> = Promise.resolve();
  return {
    acknowledged,
    longestPushMs: () => longestPushMs,
    async ready(): Promise<void> {
      await Promise.all(readers.map(({ ready }) => ready));
      sending = Promise.all(members.map(send));
      // `stop` rejects with it, when the machines can be ended.
      sending.catch(() => undefined);
    },
    /** Resolves when one more message is acknowledged. */
    answered(): Promise<void> {
      const before = acknowledged.length;
      return until(() => acknowledged.length > before, 'a message is acknowledged');
    },
    async stop(): Promise<void> {
      isOver = true;
      await sending;
    },
    async wrongStreams(): Promise<number> {
      await Promise.allSettled(readers.map((reader) => reader.until(acknowledged.length, 60_000)));
      const wanted = acknowledged.map(({ id }) => id).sort();
      return readers.filter(({ received }) => received.map(({ id }) => id).join() !== wanted.join()).length;
    },
    close: () => {
      isOver = true;
      for (const reader of readers) reader.close();
    },
  };
}

function createFaults(
  placed: readonly Placed[],
  { postgres, updates, random }: { postgres: Postgres; updates: Updates; random: SeededRandom },
  { kinds, say }: Pick<ChaosOptions, 'kinds' | 'say'>,
) {
  const counts: Record<FaultKind, number> = {
    kill: 0,
    suspend: 0,
    stop: 0,
    database: 0,
    cut: 0,
    disk: 0,
    update: 0,
  };
  const disks = placed.filter(({ disk }) => disk !== null);
  const possible = kinds.filter((kind) => kind !== 'disk' || disks.length > 0);

  async function active(): Promise<Placed> {
    for (const one of placed) if ((await one.machine.status('/readyz')) === 200) return one;
    return random.pick(placed);
  }
  const oneOf = async (): Promise<Placed> => (random.chance(0.7) ? active() : random.pick(placed));
  const make: Record<FaultKind, () => Promise<void>> = {
    async kill() {
      const one = await oneOf();
      await one.machine.exit('SIGKILL');
      await after(random.below(3000));
      await one.start();
    },
    async suspend() {
      const one = await oneOf();
      one.machine.child.kill('SIGSTOP');
      await after(suspendedMs);
      one.machine.child.kill('SIGCONT');
      await revive(one);
    },
    async stop() {
      const one = await active();
      await one.machine.exit('SIGTERM');
      await one.start();
    },
    async database() {
      await postgres.crash();
      await after(random.below(4000));
      await postgres.start();
      for (const one of placed) await revive(one);
    },
    async cut() {
      const one = await oneOf();
      one.line.cut();
      await after(suspendedMs);
      one.line.mend();
      await revive(one);
    },
    async disk() {
      const now = await active();
      const one = now.disk === null || random.chance(0.3) ? random.pick(disks) : now;
      await one.disk?.fill();
      await after(fullMs);
      await one.disk?.free();
      await revive(one);
    },
    update: () => updates.make(),
  };
  /** As a supervisor does, for a machine that lost its lease. */
  async function revive({ machine, start }: Placed): Promise<void> {
    await after(againMs);
    if (machine.hasEnded) await start();
  }

  return {
    counts,
    async play(
      { seconds, count }: Pick<ChaosOptions, 'seconds' | 'count'>,
      answered: () => Promise<void>,
    ): Promise<void> {
      const end = performance.now() + seconds * 1000;
      for (let made = 0; performance.now() < end && made !== count; made += 1) {
        if (count === null)
          await after(betweenFaultsMs.least + random.below(betweenFaultsMs.most - betweenFaultsMs.least));
        else await answered();
        // Each of them at least once in a run that is long enough.
        const kind = possible[made] ?? random.pick(possible);
        say(`fault: ${kind}`);
        counts[kind] += 1;
        const begun = performance.now();
        await make[kind]();
        say(`all run again after ${Math.round(performance.now() - begun)} ms`);
      }
      for (const one of placed) await revive(one);
    },
  };
}

/** Lets each machine be the active one, and reads everything there. */
async function compareEach(
  placed: readonly Placed[],
  acknowledged: readonly Message[],
): Promise<{ lost: number; twice: number }> {
  let lost = 0;
  let twice = 0;
  const waiting = new Set(placed);
  while (waiting.size > 0) {
    const one = await nextActive(waiting);
    const times = new Map<string, number>();
    for (const { id } of await one.machine.wholeHistory('ada')) times.set(id, (times.get(id) ?? 0) + 1);
    lost += acknowledged.filter(({ id }) => !times.has(id)).length;
    twice += [...times.values()].filter((count) => count > 1).length + times.size - acknowledged.length;
    waiting.delete(one);
    await one.machine.exit('SIGTERM');
  }
  return { lost, twice };
}

async function nextActive(placed: ReadonlySet<Placed>): Promise<Placed> {
  let found: Placed | undefined;
  await until(async () => {
    for (const one of placed) {
      if (one.machine.hasEnded) await one.start();
      if ((await one.machine.status('/readyz')) === 200) found = one;
    }
    return found !== undefined;
  }, 'a machine answers the team');
  return found as Placed;
}
