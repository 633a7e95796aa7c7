/** Plays a step against the broker: the streams around it, its outcome, and the wait until everybody has everything. */
import { isDeepStrictEqual } from 'node:util';
import type { DayBroker } from './day-broker.ts';
import { connect, type Day, names } from './day-state.ts';
import { note, type Outcome, type Step } from './day-step.ts';
import { lateMs } from './look.ts';

/** A member who removes itself keeps its stream, which ends with the removal. */
const endsStream = (step: Step): step is Step & { kind: 'removeMember' } =>
  step.kind === 'removeMember' && step.name !== step.by;

/** A stream ends before another member removes its owner, and is open before its owner comes back. */
export async function prepareStep(day: Day, broker: DayBroker, step: Step): Promise<void> {
  if (endsStream(step)) broker.reader(step.name).disconnect();
  if (step.kind !== 'comeBack') return;
  await broker.reader(step.by).connect();
  connect(day, step.by);
}

/** @throws Error if the broker answered otherwise than the model. */
export function demandOutcome(outcome: Outcome, expected: Outcome): void {
  if (!isDeepStrictEqual(outcome, { ...expected }))
    throw new Error(`it must be answered ${JSON.stringify(expected)}, but is ${JSON.stringify(outcome)}`);
}

/** The stream of a member whose removal was refused opens again, and new ids are learned. */
export async function concludeStep(day: Day, broker: DayBroker, step: Step): Promise<void> {
  if (endsStream(step) && day.readers.get(step.name)?.isLive) await broker.reader(step.name).connect();
  await broker.learn(day);
}

/** Waits until every live stream has everything: it has received a note that was sent last. */
export async function settleStreams(day: Day, broker: DayBroker): Promise<void> {
  const live = names(day).filter((name) => day.readers.get(name)?.isLive);
  await Promise.all(
    live.map(async (name) => {
      const label = `n${day.posts.length}`;
      note(day, name, label);
      const { status, body } = await broker.request(name, 'POST', '/push', { to: name, body: label });
      if (status !== 200) throw new Error(`a note of ${name} was answered ${status}`);
      broker.labelOf(body.message);
      await broker.reader(name).untilLast(label, lateMs);
    }),
  );
}
