/**
 * Tests an agent on this machine as a run would use it: whether its model answers a message through each way, and
 * calls a tool (specification/command-line.md#tests-of-an-agent).
 */
import { rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { constants } from 'node:os';
import { basename } from 'node:path';
import process from 'node:process';
import type { Env } from '#protocol/paths.ts';
import type { AgentKind, BridgeCommand, Capabilities } from '../agents/agent.ts';
import { agentEnvironment } from '../agents/agent-environment.ts';
import { createAgentLink } from '../agents/agent-link.ts';
import { loadAgent } from '../agents/load-agent.ts';
import { endDeadRuns } from '../process/dead-runs.ts';
import { onExit } from '../process/exit-paths.ts';
import { readGroup } from '../process/group-file.ts';
import { makeOwnedFolder } from '../process/owned-folder.ts';
import { runVariable } from '../process/process-table.ts';
import { controlProcesses } from '../process/run-processes.ts';
import { createHookMessages, tryHookWays } from './hook-ways.ts';
import { tryOwnedWays } from './owned-ways.ts';
import { OutOfTime, startTimeLimit, type TimeLimit } from './time-limit.ts';
import { openTrial, type TrialSetting } from './trial.ts';
import {
  channelResult,
  hookCheck,
  hookWakeResult,
  outOfTime,
  programOutOfTime,
  proven,
  type SelfTestResult,
  startOutOfTime,
  testedMoments,
  untested,
} from './way.rules.ts';

export interface SelfTestRequest {
  kind: string;
  env: Env;
  /** Overrides the model's address; otherwise, the agent's own account is used. */
  modelUrl: string | null;
  /** A private folder for what the test needs; deleted afterwards. */
  runsDir: string;
  bridgeCommand: Pick<BridgeCommand, 'command' | 'args'>;
  /** How long all steps together may take; ending what was started comes after it, within five seconds. */
  limitMs: number;
  /** Formats a time in epoch milliseconds for the person. */
  timeOf(at: number): string;
}

type Around = Omit<TrialSetting, 'mode' | 'argsFor' | 'handOver'>;

/** Yields the results as they are known. @throws AgentError with what a person must fix. */
export async function* selfTest(request: SelfTestRequest): AsyncGenerator<SelfTestResult> {
  const { runsDir, modelUrl, bridgeCommand, timeOf } = request;
  await using parts = new AsyncDisposableStack();
  const kind = await loadAgent(request.kind);
  await endDeadRuns(runsDir, null);
  const limit = startTimeLimit(request.limitMs);
  parts.defer(limit.release);
  const folder = makeOwnedFolder(runsDir, 'test');
  const processes = controlProcesses(basename(folder), null);
  const link = createAgentLink();
  const exitPaths = onExit(() => {
    link.restoreSync();
    controlProcesses(basename(folder), readGroup(folder)).signal('SIGKILL');
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 });
  });
  exitPaths.started((signal) => process.exit(128 + (constants.signals[signal] ?? 0)));
  parts.defer(exitPaths.release);
  parts.defer(() => rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 20 }));
  parts.defer(async () => void (await processes.end(0)));
  // Everything that is started inherits it, and can be found by it.
  const env = { ...agentEnvironment(request.env), [runVariable]: basename(folder) };

  const setting = { cwd: folder, env, args: [] };
  let owned: Capabilities;
  try {
    owned = await limit.within(kind.capabilities({ ...setting, mode: 'owned' }));
  } catch (error) {
    if (!(error instanceof OutOfTime)) throw error;
    yield programOutOfTime(limit.totalMs);
    for (const way of waysOf(kind)) yield outOfTime(way);
    return;
  }
  if (!owned.canWake) {
    yield proven('program', `${owned.version} is there and can be executed`);
    yield untested('start', 'a command is not started, because it could act at once');
    yield untested(
      'messages',
      'nothing wakes a command, and its model is not known; messages wait for its next tool call',
    );
    return;
  }
  yield proven('program', owned.version);
  const around: Around = {
    kind,
    env,
    folder,
    modelUrl,
    bridgeCommand,
    limit,
    timeOf,
    onPrepared: link.seat,
  };
  yield* ownedResults(around, limit);
}

/** The ways in the order in which they are tested. */
function waysOf({ descriptor: { capabilities } }: AgentKind): string[] {
  return ['wake', 'tools', ...(capabilities.canSteer ? ['steer'] : []), ...testedMoments.map(hookCheck)];
}

async function* ownedResults(around: Around, limit: TimeLimit): AsyncGenerator<SelfTestResult> {
  const { kind } = around;
  const { capabilities } = kind.descriptor;
  let results: SelfTestResult[];
  let isObserved = false;
  let isSlow = false;
  {
    await using parts = new AsyncDisposableStack();
    try {
      const trial = await openTrial(parts, {
        ...around,
        mode: 'owned',
        argsFor: () => [],
        handOver: () => null,
      });
      isObserved = trial.isObserved;
      ({ results, isSlow } = await tryOwnedWays(trial, { canSteer: capabilities.canSteer, limit }));
    } catch (error) {
      if (!(error instanceof OutOfTime)) throw error;
      results = [startOutOfTime(limit.totalMs)];
    }
  }
  yield* results;
  const tested = new Set(results.map(({ check }) => check));
  const rest = waysOf(kind).filter((way) => !tested.has(way));
  if (limit.isOver) for (const way of rest) yield outOfTime(way);
  else if (results.find(({ check }) => check === 'wake')?.outcome !== 'ok')
    for (const way of rest) yield untested(way, 'the model did not answer');
  else if (!isObserved)
    for (const way of rest)
      yield untested(way, 'the login cannot be redirected, so the model’s answers are not seen');
  else yield* hookResults(around, limit, isSlow);
  if (capabilities.hasChannel) yield channelResult;
}

async function* hookResults(
  around: Around,
  limit: TimeLimit,
  isSlow: boolean,
): AsyncGenerator<SelfTestResult> {
  const { kind, folder: cwd, env } = around;
  let results: SelfTestResult[];
  let hasWake = false;
  {
    await using parts = new AsyncDisposableStack();
    try {
      const { hooks } = await limit.within(kind.capabilities({ cwd, env, mode: 'terminal', args: [] }));
      if (hooks === null) return;
      hasWake = hooks.wake !== null;
      const messages = createHookMessages(hooks);
      const trial = await openTrial(parts, {
        ...around,
        mode: 'terminal',
        argsFor: ({ task }) => hooks.argsForPrompt(task),
        handOver: messages.handOver,
      });
      results = await tryHookWays(trial, { messages, limit, isSlow });
    } catch (error) {
      if (!(error instanceof OutOfTime)) throw error;
      results = testedMoments.map((moment) => outOfTime(hookCheck(moment)));
    }
  }
  yield* results;
  yield hookWakeResult(hasWake);
}
