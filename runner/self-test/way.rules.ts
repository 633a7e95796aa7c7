/** The results of a self-test for each way of a message to the model. Pure. */
import { refusalText } from '#protocol/model-refusal-text.ts';
import type { Refusal } from '../delivery/model-refusal.rules.ts';

/** A message that an answered exchange carried. */
export interface Proof {
  /** On the monotonic clock, in ms. */
  at: number;
  /** How many turns had begun. */
  turns: number;
}

export interface SelfTestResult {
  check: string;
  outcome: 'ok' | 'failed' | 'not tested';
  /** The proven fact, or the cause. */
  detail: string;
  /** The action to take after a failure. */
  remedy?: string;
}

export const proven = (check: string, detail: string): SelfTestResult => ({ check, outcome: 'ok', detail });
export const failed = (check: string, detail: string, remedy: string): SelfTestResult => ({
  check,
  outcome: 'failed',
  detail,
  remedy,
});
export const untested = (check: string, why: string): SelfTestResult => ({
  check,
  outcome: 'not tested',
  detail: `not tested: ${why}`,
});

/** The model may be healthy and slow. */
export const outOfTime = (check: string): SelfTestResult =>
  untested(check, 'out of time; if the model is slow, pass --timeout 120');

/** `ms`: how long it took. */
export const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

const remedyByCause: Record<Refusal['cause'], string> = {
  login: 'start the agent without svc and log in, or set the key of its model',
  limit: 'wait for the end of the limit, or use another account or plan',
  overloaded: 'try again later; the service of the model reports an error of its own',
  unreachable: 'check the network, and the address in --model-url or in the agent’s settings',
  rejected: 'check the model and the settings that the agent uses',
};
const checkAgent = 'start the agent without svc, and check its output';
const checkSlow = `${checkAgent}; if its model is slow, pass --timeout 120`;
const checkModel = 'check which model the agent uses; it must be able to call tools';

interface Exit {
  code: number | null;
  signal: string | null;
}

/** The facts that are known when the test of a way is over. Times on the monotonic clock, in ms. */
export interface Evidence {
  refusal: Refusal | null;
  /** How the agent's process ended; null while it runs. */
  exit: Exit | null;
  /** Why the agent did not take a message, in a sentence; null if it took all of them. */
  problem: string | null;
  /** The time for the test was over first. */
  isOver: boolean;
  /** The model took long for its first answer, so that the time may not suffice for the others. */
  isSlow: boolean;
  limitMs: number;
  lastOutput: string;
  /** Formats a time in epoch milliseconds. */
  timeOf(at: number): string;
}

const exitText = ({ code, signal }: Exit): string =>
  signal === null ? `exit code ${code}` : `signal ${signal}`;

/** Why a message did not reach the model. */
function withoutProof(check: string, evidence: Evidence): SelfTestResult {
  const { refusal, exit, problem, isOver, isSlow, limitMs, lastOutput, timeOf } = evidence;
  if (refusal !== null)
    return failed(check, `the model refuses: ${refusalText(refusal, timeOf)}`, remedyByCause[refusal.cause]);
  const output = `the agent’s last output: ${lastOutput || 'none'}`;
  if (exit !== null) return failed(check, `the agent ended (${exitText(exit)}); ${output}`, checkAgent);
  if (problem !== null) return failed(check, `${problem}; ${output}`, checkAgent);
  if (isOver && isSlow) return outOfTime(check);
  if (isOver)
    return failed(
      check,
      `the model answered no request with the message within ${seconds(limitMs)}; ${output}`,
      checkSlow,
    );
  return failed(
    check,
    `the turn ended, and the model answered no request with the message; ${output}`,
    checkAgent,
  );
}

const slowMs = 3000;
export const isSlow = (wokenAt: number, wake: Proof | null): boolean =>
  wake !== null && wake.at - wokenAt > slowMs;

export interface OwnedEvidence extends Evidence {
  wokenAt: number;
  wake: Proof | null;
  isInitialized: boolean;
  isListed: boolean;
  calledAt: number | null;
  /** Null if no turn was open, or the agent cannot be steered. */
  steeredAt: number | null;
  steer: Proof | null;
  /** The gateway sees the model's answers; otherwise the agent reports them. */
  isObserved: boolean;
}

export function wakeResult(evidence: OwnedEvidence): SelfTestResult {
  const { wake, wokenAt, isObserved } = evidence;
  if (wake === null) return withoutProof('wake', evidence);
  const what = isObserved
    ? 'the model answered a request with the message'
    : 'the agent reports a completed turn with the message; its login cannot be redirected, so the model’s answer was not seen';
  return proven('wake', `${what} (${seconds(wake.at - wokenAt)})`);
}

export function toolsResult(evidence: OwnedEvidence): SelfTestResult {
  const { calledAt, wokenAt, wake, isInitialized, isListed, isOver, isSlow } = evidence;
  if (calledAt !== null)
    return proven('tools', `the model called a tool of the bridge (${seconds(calledAt - wokenAt)})`);
  if (!isInitialized && wake !== null)
    return failed('tools', 'the agent did not connect to the bridge over MCP', checkAgent);
  if (wake === null) return untested('tools', 'the model did not answer');
  if (!isListed) return failed('tools', 'the agent did not ask the bridge for its tools', checkAgent);
  if (evidence.refusal !== null) return withoutProof('tools', evidence);
  if (isOver && isSlow) return outOfTime('tools');
  if (isOver) return failed('tools', 'the model called no tool in the time that was left', checkModel);
  return failed('tools', 'the model answered, but called no tool', checkModel);
}

export function steerResult(evidence: OwnedEvidence): SelfTestResult {
  const { wake, steeredAt, steer } = evidence;
  if (wake === null) return untested('steer', 'the model did not answer');
  if (steeredAt === null) return untested('steer', 'no turn stayed open, because the model called no tool');
  if (steer === null) return withoutProof('steer', evidence);
  if (steer.turns > wake.turns)
    return failed('steer', 'the message did not reach the turn under way, but the next one', checkAgent);
  return proven(
    'steer',
    `the model answered a request with the message, in the turn under way (${seconds(steer.at - steeredAt)})`,
  );
}

/** The moments whose hooks run without a terminal. */
export const testedMoments = ['prompt', 'tools', 'stop'] as const;
export type TestedMoment = (typeof testedMoments)[number];

export const hookCheck = (moment: TestedMoment | 'wake'): string => `hook ${moment}`;

export interface HookEvidence extends Evidence {
  /** When the hook asked for messages; null if it did not run. */
  askedAt: number | null;
  proof: Proof | null;
  /** The model called the tool. */
  hasCalled: boolean;
}

export function hookResult(moment: TestedMoment, evidence: HookEvidence): SelfTestResult {
  const check = hookCheck(moment);
  const { askedAt, proof, hasCalled, refusal, isOver } = evidence;
  if (proof !== null && askedAt !== null)
    return proven(
      check,
      `the model answered a request with the message that the hook brought (${seconds(proof.at - askedAt)})`,
    );
  if (refusal !== null || askedAt !== null) return withoutProof(check, evidence);
  if (isOver) return outOfTime(check);
  if (moment === 'tools' && !hasCalled) return untested(check, 'the model called no tool');
  return failed(check, 'the agent did not run the hook', checkAgent);
}

export const hookWakeResult = (hasWake: boolean): SelfTestResult =>
  untested(
    hookCheck('wake'),
    hasWake ? 'it needs a terminal' : 'the agent has no hook that wakes it; messages wait for its next turn',
  );

export const channelResult: SelfTestResult = untested(
  'channel',
  'it proves nothing by design; a message that is shown there counts as offered',
);

export const startOutOfTime = (limitMs: number): SelfTestResult =>
  failed('start', `the agent did not start within ${seconds(limitMs)}`, checkAgent);
export const programOutOfTime = (limitMs: number): SelfTestResult =>
  failed('program', `it did not name its version within ${seconds(limitMs)}`, checkAgent);
