/**
 * The day itself: each step runs against the broker and the model, with kills in between, and everybody's
 * views are compared.
 */
import { createSeededRandom } from '../crash/seeded-random.ts';
import { prepareServedBroker } from '../crash/served-broker.ts';
import { createDayBroker } from './day-broker.ts';
import { nextStep, planDay, team } from './day-script.ts';
import { connect, createDay, type Day, names } from './day-state.ts';
import { type Outcome, type Step, take } from './day-step.ts';
import { createViews, type View } from './day-views.ts';
import { type Disagreement, firstDisagreement, told } from './look.ts';
import { concludeStep, demandOutcome, prepareStep, settleStreams } from './play.ts';

export interface DayOptions {
  seed: number;
  /** The number of kills, at seeded places; null for one between every two steps. */
  kills: number | null;
  /** How many steps pass between two complete comparisons. */
  stepsPerCheck: number;
  /** Ends the day after so many steps of its plan. */
  maxSteps?: number;
}

export interface DayResult {
  steps: number;
  refused: number;
  kills: number;
  /** Steps whose reply was lost, and how many of them turned out to have happened. */
  lost: number;
  lostButDone: number;
  views: number;
  posts: number;
}

/**
 * A kill that may interrupt a request comes within this time after it; a broker that has just started is
 * slow.
 */
const maxReplyMs = 40;
/** @throws Error that names the seed, the step, and who sees what wrongly. */
export async function runDay({ seed, kills, stepsPerCheck, maxSteps }: DayOptions): Promise<DayResult> {
  const random = createSeededRandom(seed);
  const served = await prepareServedBroker([...team.keys()], {
    rawPermissions: (name) => (team.get(name) === 'none' ? [] : [team.get(name) ?? '']),
    blocks: { files: { root: 'files' } },
  });
  const broker = createDayBroker(served);
  const plan = planDay(random).slice(0, maxSteps);
  const killedAt = new Set(
    kills === null ? plan.keys() : Array.from({ length: kills }, () => 20 + random.below(plan.length - 20)),
  );
  const result: DayResult = { steps: 0, refused: 0, kills: 0, lost: 0, lostButDone: 0, views: 0, posts: 0 };
  let day = createDay(team);

  const compare = async (views: View[], isPatient = true): Promise<Disagreement | null> => {
    result.views += views.length;
    return firstDisagreement(views, isPatient);
  };

  async function demand(views: View[], when: string): Promise<void> {
    const found = await compare(views);
    if (found !== null) throw new Error(`${when}: ${told(found)}`);
  }

  async function restart(): Promise<void> {
    await served.kill();
    result.kills += 1;
    await served.start();
  }

  /**
   * Half of the kills come after the step is answered, the others before, during, or after it. Returns null
   * if no answer came.
   */
  async function performUnderKill(step: Step): Promise<Outcome | null> {
    const answering = broker.perform(step).catch(() => null);
    if (random.chance(0.5)) await answering;
    else await new Promise((resolve) => setTimeout(resolve, random.below(maxReplyMs)));
    const killed = restart();
    const outcome = await answering;
    await killed;
    return outcome;
  }

  /**
   * The reply was lost: either the step happened or it did not, and everything must look like one of the two.
   */
  async function findOut(step: Step, done: Day): Promise<void> {
    result.lost += 1;
    await broker.learn(day);
    const undone = await compare(createViews(day, broker).touchedBy(step), false);
    if (undone === null) return;
    await broker.learn(done);
    const other = await compare(createViews(done, broker).touchedBy(step));
    if (other !== null)
      throw new Error(`its reply was lost.\nAs if not done: ${told(undone)}\nAs if done: ${told(other)}`);
    day = done;
    result.lostButDone += 1;
  }

  async function takeStep(step: Step, isKilled: boolean): Promise<void> {
    await prepareStep(day, broker, step);
    const done = structuredClone(day);
    const expected = take(done, step);
    const outcome = isKilled ? await performUnderKill(step) : await broker.perform(step);
    if (isKilled) {
      day.lives += 1;
      done.lives += 1;
    }
    if (outcome === null) await findOut(step, done);
    else {
      demandOutcome(outcome, expected);
      if (outcome.status >= 400) result.refused += 1;
      day = done;
    }
    await concludeStep(day, broker, step);
    if (isKilled) await settleStreams(day, broker);
  }

  let at = 0;
  let step: Step | null = null;
  try {
    await served.start();
    for (const name of names(day)) {
      await broker.reader(name).connect();
      connect(day, name);
    }
    for (const [index, kind] of plan.entries()) {
      at = index + 1;
      if (kills === null && at % stepsPerCheck === 0)
        console.log(`day: ${JSON.stringify({ at, ...result })}`);
      step = nextStep(day, kind, random, at);
      if (step === null) continue;
      const isKilled = killedAt.has(index);
      await takeStep(step, isKilled);
      result.steps += 1;
      await demand(createViews(day, broker).touchedBy(step), 'after it');
      const isTimeForAll = at % stepsPerCheck === 0 || (isKilled && kills !== null);
      if (isTimeForAll)
        await demand(createViews(day, broker).everything(5), 'looking at everything after it');
    }
    for (const name of names(day)) {
      if (day.readers.get(name)?.isLive) continue;
      step = { kind: 'comeBack', by: name, label: `evening-${name}` };
      await takeStep(step, false);
    }
    await demand(createViews(day, broker).everything(), 'in the evening');
    result.posts = day.posts.length;
    return result;
  } catch (error) {
    const where = `seed ${seed}, step ${at} of ${plan.length}: ${JSON.stringify(step)}`;
    const { message } = error as Error;
    throw new Error(`${where}\n${message}\n${served.errors()}`, { cause: error });
  } finally {
    broker.close();
    await served.remove();
  }
}
