/**
 * The crash test: rounds of posting, kill -9 at a random moment, and restart. Afterwards, every member's
 * history and streams are compared.
 */
import assert from 'node:assert/strict';
import { CrashModel, checkStream, type Found, readableBy } from './crash-model.ts';
import { repeatUnanswered, sendUntilGone, wholeHistory } from './crash-senders.ts';
import { openResumingReader, type ResumingReader } from './resuming-reader.ts';
import { createSeededRandom } from './seeded-random.ts';
import { prepareServedBroker, type ServedBroker } from './served-broker.ts';

const members = ['ada', 'ben', 'cy', 'dee'];
const senders = 16;
const readersPerMember = 2;
const maxRoundMs = 350;
const maxStartMs = 600;
const roundsPerCheck = 25;
/** Prevents an endless wait. */
const catchUpMs = 60_000;

export interface CrashResult {
  attempts: number;
  acknowledged: number;
  /** Keyed messages that were sent again after a crash. */
  repeated: number;
  /** The messages that the streams received, and the number of connections that it took. */
  streamed: number;
  connections: number;
}

/** @throws AssertionError that names the message and who has it wrongly. */
export async function runCrashRounds(rounds: number, seed: number): Promise<CrashResult> {
  const random = createSeededRandom(seed);
  const model = new CrashModel();
  const broker = await prepareServedBroker(members);
  const fromStart: ResumingReader[] = [];
  const fromLater: ResumingReader[] = [];
  const open = (member: string) => openResumingReader(broker.url, member, broker.token(member));
  let repeated = 0;
  try {
    await broker.start();
    for (const member of members) for (let n = 0; n < readersPerMember; n++) fromStart.push(open(member));
    await Promise.all(fromStart.map(({ ready }) => ready));
    for (let round = 1; round <= rounds; round++) {
      const sending = sendUntilGone({ broker, model, random, members, count: senders });
      if (round % roundsPerCheck === 1) fromLater.push(open(random.pick(members)));
      const killed = killSoon();
      await Promise.all([sending, killed]);
      while (random.chance(0.1)) await broker.startAndKill(random.below(maxStartMs));
      await broker.start();
      repeated += await repeatUnanswered(broker, model);
      if (round % roundsPerCheck === 0 || round === rounds) await check();
    }
    const readers = [...fromStart, ...fromLater];
    return {
      attempts: model.attempts.length,
      acknowledged: model.attempts.filter(({ acknowledged }) => acknowledged !== null).length,
      repeated,
      streamed: readers.reduce((sum, { received }) => sum + received.length, 0),
      connections: readers.reduce((sum, { connections }) => sum + connections, 0),
    };
  } finally {
    for (const reader of [...fromStart, ...fromLater]) reader.close();
    await broker.remove();
  }

  /** Disconnects some readers, then kills the broker, both at a random moment of the round. */
  async function killSoon(): Promise<void> {
    const cuts = [...fromStart, ...fromLater]
      .filter(() => random.chance(0.3))
      .map((reader) => ({ reader, afterMs: random.below(maxRoundMs) }));
    const timers = cuts.map(({ reader, afterMs }) => setTimeout(reader.cut, afterMs));
    await new Promise((resolve) => setTimeout(resolve, random.below(maxRoundMs)));
    await broker.kill();
    for (const timer of timers) clearTimeout(timer);
  }

  async function check(): Promise<void> {
    const all = await Promise.all(members.map((member) => holdings(broker, member)));
    model.checkHistories(all);
    const readableByMember = new Map(all.map((found) => [found.member, readableBy(found)]));
    for (const [readers, isFromStart] of [
      [fromStart, true],
      [fromLater, false],
    ] as const) {
      for (const reader of readers) {
        const readable = readableByMember.get(reader.member) ?? [];
        const name = `a stream of ${reader.member}`;
        assert.deepEqual(reader.faults, [], name);
        if (isFromStart) await reader.until(readable.length, catchUpMs);
        else await untilNewest(reader, readable.at(-1)?.id);
        checkStream(reader.received, readable, isFromStart, name);
      }
    }
  }

  /** A stream that began later is complete when it has the newest message. */
  async function untilNewest(reader: ResumingReader, newest: string | undefined): Promise<void> {
    while (reader.received.at(-1)?.id !== newest) await reader.until(reader.received.length + 1, catchUpMs);
  }
}

async function holdings(broker: ServedBroker, member: string): Promise<Found> {
  const direct = members.map(async (other) => [other, await wholeHistory(broker, member, other)] as const);
  return {
    member,
    general: await wholeHistory(broker, member, null),
    directByOther: new Map(await Promise.all(direct)),
  };
}
