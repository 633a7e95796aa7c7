/**
 * A day of forty members on a store of its own. Each round has calm steps, one after the other, and then a
 * storm with faults; when everybody has everything, what they see is compared with the model.
 */
import { fileURLToPath } from 'node:url';
import { createHome } from '../../bin/testing/command.ts';
import { type HostileMember, startHostileMember } from '../attacks/hostile-process.ts';
import { openDescriptors, presentBytes } from '../attacks/process-facts.ts';
import { createSeededRandom, type SeededRandom } from '../crash/seeded-random.ts';
import { prepareServedBroker } from '../crash/served-broker.ts';
import { createDayBroker, maxSockets } from '../day/day-broker.ts';
import { nextStep, planDay } from '../day/day-script.ts';
import { actors, connect, createDay, names } from '../day/day-state.ts';
import { type Step, take } from '../day/day-step.ts';
import { createViews, type View } from '../day/day-views.ts';
import { firstDisagreement, told } from '../day/look.ts';
import { concludeStep, demandOutcome, prepareStep, settleStreams } from '../day/play.ts';
import { backUp } from './backup-drill.ts';
import { type FaultKind, inflict, planFaults } from './faults.ts';
import type { SmallDisk } from './small-disk.ts';
import { createSoakClock } from './soak-clock.ts';
import { hostile, soakTeam } from './soak-team.ts';
import { planStorm, runStorm, type StormStep, takeStorm } from './storm.ts';
import type { Sample, Tally } from './tally.ts';

const script = fileURLToPath(new URL('./soak-broker.ts', import.meta.url));
const calmStepsPerRound = 8;
const stormStepsPerRound = 160;
const halfHourMs = 30 * 60_000;
/** More than the broker keeps for a reader (1 MiB) and the system's buffers hold. */
const slowMessages = 130;
const slowCharacters = 60_000;
const viewsPerRound = 120;
const viewsInTheEvening = 2500;
/** The descriptors that the broker itself has open: stores, listeners, and threads. */
const ownDescriptors = 96;

export interface SoakDay {
  /** @throws Error that says what was lost, repeated, shown to the wrong member, or not answered. */
  round(number: number): Promise<void>;
  /** Everybody comes back, and everything is compared. */
  evening(): Promise<void>;
  end(): Promise<void>;
}

export interface SoakDayOptions {
  /** Chooses the faults of each round, whatever happened before. */
  seed: number;
  /** Chooses steps and what is looked at. */
  random: SeededRandom;
  disk: SmallDisk;
  wanted: readonly FaultKind[];
  hasHostile: boolean;
  tally: Tally;
}

export async function beginSoakDay(options: SoakDayOptions): Promise<SoakDay> {
  const { seed, random, disk, wanted, hasHostile, tally } = options;
  const team = new Map([...soakTeam, ...(hasHostile ? [[hostile, 'none'] as const] : [])]);
  const served = await prepareServedBroker([...team.keys()], {
    rawPermissions: (name) => (team.get(name) === 'none' ? [] : [team.get(name) ?? '']),
    // A small disk never has the space that is kept free on an ordinary one.
    blocks: { files: { root: 'files', minFreeBytes: 0 } },
    team: { maxAgentHops: 1000 },
    folder: disk.folder,
    script: { path: script, env: () => ({ SOAK_CLOCK_MS: String(clock.aheadMs) }) },
  });
  const home = await createHome();
  const clock = createSoakClock(served.tell);
  const broker = createDayBroker(served);
  const day = createDay(team, new Set([hostile]));
  let plan = planDay(random);
  let number = 0;
  /** Messages of a manager's stream whose ids are known. */
  let learned = 0;
  let startedAt = Date.now();
  let life: Sample[] = [];
  let simulatedMs = 0;
  let step: Step | null = null;
  let attack: HostileMember | null = null;

  const nextNumber = (): number => ++number;
  const live = (): string[] => names(day).filter((name) => day.readers.get(name)?.isLive);
  const count = (kind: string): void => {
    tally.operations[kind] = (tally.operations[kind] ?? 0) + 1;
  };

  async function begin(): Promise<void> {
    await served.start();
    beginLife();
    for (const name of actors(day)) {
      await broker.reader(name).connect();
      connect(day, name);
    }
    if (hasHostile) attack = startHostileMember(served, hostile);
  }

  function beginLife(): void {
    startedAt = Date.now();
    life = [];
    tally.lives.push(life);
  }

  /** Waits until everybody has everything. Managers get every notice, whose ids nobody else tells. */
  async function settle(): Promise<void> {
    await settleStreams(day, broker);
    broker.reader('ada').received.slice(learned).forEach(broker.labelOf);
    learned = broker.reader('ada').received.length;
  }

  async function playCalmly(next: Step): Promise<void> {
    step = next;
    if (next.kind === 'read' || next.kind === 'evidence') await settle();
    await prepareStep(day, broker, next);
    const expected = take(day, next);
    const from = performance.now();
    const outcome = await broker.perform(next);
    (attack?.isOn === true ? tally.besideMs : tally.calmMs).push(performance.now() - from);
    demandOutcome(outcome, expected);
    if (outcome.status >= 400) tally.refused += 1;
    count(next.kind);
    await concludeStep(day, broker, next);
  }

  async function playCalmSteps(): Promise<void> {
    for (let played = 0; played < calmStepsPerRound; played++) {
      const kind = plan.shift();
      if (kind === undefined) {
        // Another day for the same team: those who left stay away.
        plan = planDay(random).filter((one) => one !== 'removeMember');
        continue;
      }
      const next = nextStep(day, kind, random, nextNumber());
      if (next !== null) await playCalmly(next);
    }
    step = null;
    await settle();
  }

  /** One member that is live writes to itself more than its stream, which it does not read, can hold. */
  function planFlood(): { name: string; steps: StormStep[] } {
    const name = random.pick(live());
    const steps = Array.from(
      { length: slowMessages },
      (): StormStep => ({
        kind: 'push',
        by: name,
        to: name,
        channel: null,
        label: `m${nextNumber()}`,
        words: [],
        mentions: [],
        attachments: [],
        padding: slowCharacters,
      }),
    );
    return { name, steps };
  }

  async function playStorm(kinds: ReadonlySet<FaultKind>, chance: SeededRandom): Promise<void> {
    const before = kinds.has('backup') ? structuredClone(day) : null;
    const flood = kinds.has('slow') ? planFlood() : null;
    const steps = [...planStorm(day, random, stormStepsPerRound, nextNumber), ...(flood?.steps ?? [])];
    const slow = flood && broker.reader(flood.name);
    slow?.pause();
    const readers = live().flatMap((name) => (name === flood?.name ? [] : [broker.reader(name)]));
    const faults = { isKilled: kinds.has('kill'), isFull: kinds.has('disk') };
    const [answered, , drill] = await allOrNone((signal) => [
      runStorm(broker, steps, random, faults, tally, signal),
      inflict(kinds, { random: chance, served, disk, clock, readers }),
      kinds.has('backup') ? backUp(home, served) : null,
    ]);
    slow?.resume();
    for (const one of answered) {
      count(one.step.kind);
      if ((one.answer?.status ?? 0) >= 400) tally.refused += 1;
    }
    takeStorm(day, answered);
    // The delivery of messages to streams is stored later than the messages.
    if (faults.isKilled || faults.isFull) day.lives += 1;
    if (faults.isKilled) beginLife();
    await settle();
    if (drill === null || before === null) return;
    await drill.restore(before, day, random);
    tally.restores += 1;
  }

  /** Everybody's stream, and some of everything else. */
  async function compare(most: number, every: number): Promise<void> {
    const views = createViews(day, broker);
    const some: View[] = [];
    const all = views.everything(every);
    while (some.length < most && all.length > 0) {
      const at = random.below(all.length);
      const [taken] = all.splice(at, 1);
      if (taken !== undefined) some.push(taken);
    }
    const looked = [...views.streams(), ...some].map((view) => ({ ...view, isLate: true }));
    tally.views += looked.length;
    const found = await firstDisagreement(looked);
    if (found !== null) throw new Error(told(found));
  }

  async function measure(): Promise<void> {
    const { pid } = served;
    if (pid === undefined) return;
    life.push({ ageMinutes: (Date.now() - startedAt) / 60_000, bytes: await presentBytes(pid) });
    const descriptors = await openDescriptors(pid);
    tally.descriptors = descriptors;
    if (descriptors === null) return;
    tally.maxDescriptors = Math.max(tally.maxDescriptors ?? 0, descriptors);
    const most = ownDescriptors + maxSockets + live().length;
    if (descriptors > most)
      throw new Error(`${descriptors} descriptors are open, and at most ${most} are needed`);
  }

  /** Of all streams, also of members who left. */
  const countByes = (): number =>
    [...day.joined.keys()].reduce((all, name) => all + broker.reader(name).byes, 0);

  /** @throws Error with the calm step and what the broker wrote. */
  async function explained(play: () => Promise<void>): Promise<void> {
    try {
      await play();
    } catch (error) {
      const { message } = error as Error;
      const where = step === null ? '' : `${JSON.stringify(step)}\n`;
      throw new Error(`${where}${message}\n${served.errors().slice(-4000)}`, { cause: error });
    }
  }

  async function playRound(at: number): Promise<void> {
    attack?.turn(at % 2 === 1);
    await playCalmSteps();
    await clock.jump(halfHourMs);
    const chance = createSeededRandom(seed + at);
    const kinds = planFaults(chance, disk.fault === null ? wanted : without(wanted, 'disk'), at);
    for (const kind of kinds) tally.faults[kind] = (tally.faults[kind] ?? 0) + 1;
    await playStorm(kinds, chance);
    await compare(viewsPerRound, 20);
    await measure();
  }

  async function playEvening(): Promise<void> {
    attack?.turn(false);
    for (const by of actors(day)) {
      if (day.readers.get(by)?.isLive) continue;
      await playCalmly({ kind: 'comeBack', by, label: `evening-${by}` });
    }
    step = null;
    await settle();
    await compare(viewsInTheEvening, 5);
  }

  async function end(): Promise<void> {
    attack?.end();
    broker.close();
    await served.kill();
    await home.remove();
  }

  await begin().catch(async (error: unknown) => {
    await end();
    throw error;
  });
  return {
    async round(at) {
      const byes = countByes();
      const posts = day.posts.length;
      await explained(() => playRound(at));
      tally.byes += countByes() - byes;
      tally.posts += day.posts.length - posts;
      tally.simulatedMs += clock.simulatedMs - simulatedMs;
      simulatedMs = clock.simulatedMs;
      tally.rounds += 1;
    },
    async evening() {
      await explained(playEvening);
      tally.days += 1;
    },
    end,
  };
}

/** Waits for everything, also if something fails, which aborts the rest. @throws the first failure. */
async function allOrNone<A, B, C>(
  begin: (signal: AbortSignal) => readonly [Promise<A>, Promise<B>, Promise<C> | null],
): Promise<[A, B, C | null]> {
  const failure = new AbortController();
  const [a, b, c] = begin(failure.signal);
  const all = [a, b, c] as const;
  for (const one of all) one?.catch((error: unknown) => failure.abort(error));
  await Promise.allSettled(all);
  failure.signal.throwIfAborted();
  return Promise.all(all);
}

const without = <T>(all: readonly T[], one: T): T[] => all.filter((other) => other !== one);
