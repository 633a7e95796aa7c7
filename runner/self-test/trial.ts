/** One start of the agent under test, with everything around it as in a run. */
import { basename, join } from 'node:path';
import type { Agent, AgentKind, BridgeCommand } from '../agents/agent.ts';
import type { HookMoment } from '../agents/agent-hooks.ts';
import type { Mode } from '../agents/descriptor.ts';
import type { Handover } from '../bridge/bridge-server.ts';
import { startCapture } from '../gateway/capture.ts';
import { readGroup } from '../process/group-file.ts';
import { controlProcesses } from '../process/run-processes.ts';
import { createObserver, type Observer } from './observer.ts';
import { startTestBridge, type TestBridge } from './test-bridge.ts';
import type { TimeLimit } from './time-limit.ts';
import type { Evidence } from './way.rules.ts';

export interface TrialSetting {
  kind: AgentKind;
  mode: Mode;
  env: Readonly<Record<string, string>>;
  /** The private folder of the test, in which the agent also works. */
  folder: string;
  modelUrl: string | null;
  bridgeCommand: Pick<BridgeCommand, 'command' | 'args'>;
  limit: TimeLimit;
  timeOf(at: number): string;
  /** The agent's own arguments. */
  argsFor(bridge: TestBridge): readonly string[];
  handOver(moment: HookMoment): Handover | null;
  onPrepared(agent: Agent): void;
}

export interface Trial {
  readonly agent: Agent;
  readonly seen: Observer;
  readonly bridge: TestBridge;
  /** Whether the gateway sees the exchanges with the model. */
  readonly isObserved: boolean;
  evidence(): Omit<Evidence, 'isSlow'>;
}

const instructions =
  'This is a connection test, which the person at this machine started with "muster doctor". Do what its messages ask: call the tool that they name, and answer with only: ok';
/** How long the agent may take to end in order. */
const graceMs = 1000;
const restoreTimeoutMs = 2000;

/** `parts` ends and removes everything. @throws AgentError; OutOfTime. */
export async function openTrial(parts: AsyncDisposableStack, setting: TrialSetting): Promise<Trial> {
  const { kind, mode, env, folder, limit } = setting;
  const seen = createObserver({ wakes: mode === 'owned', limit });
  const bridge = await startTestBridge({ handOver: setting.handOver, onChange: seen.changed });
  parts.defer(bridge.close);
  const capture = await startCapture(parts, {
    kind,
    cwd: folder,
    env,
    modelUrl: setting.modelUrl,
    isTraced: true,
    tracesHttp: false,
    turn: () => seen.turn,
    onReply: seen.onReply,
    onExchange: () => undefined,
    onOpaque: () => undefined,
    onFlight: seen.setFlight,
    log: () => undefined,
    tell: () => undefined,
  });
  const preparing = kind.prepare({
    cwd: folder,
    args: setting.argsFor(bridge),
    mode,
    isUnattended: false,
    capturesOutput: true,
    modelUrl: capture.modelUrl,
    env: capture.env,
    bridge: { ...setting.bridgeCommand, env: bridge.env },
    instructions,
    member: 'muster doctor',
    runFolder: folder,
    conversation: { previous: null, folder: join(folder, 'kept'), keep: () => undefined },
    events: seen.events,
    log: () => undefined,
    tell: () => undefined,
  });
  parts.defer(() => endTrial(preparing, folder));
  const agent = await limit.within(preparing);
  setting.onPrepared(agent);
  void agent.exited.then(seen.setExit);
  return {
    agent,
    seen,
    bridge,
    isObserved: capture.isRecorded,
    evidence: () => ({
      refusal: seen.refusal,
      exit: seen.exit,
      problem: null,
      isOver: limit.isOver,
      limitMs: limit.totalMs,
      lastOutput: seen.lastOutput,
      timeOf: setting.timeOf,
    }),
  };
}

/** Ends the agent and its processes, also one that is still being prepared, and restores its files. */
async function endTrial(preparing: Promise<Agent>, folder: string): Promise<void> {
  const orNull = preparing.catch(() => null);
  const agent = await Promise.race([orNull, afterMs(graceMs)]);
  const stopping = agent?.stop();
  await Promise.race([stopping, afterMs(graceMs)]);
  await controlProcesses(basename(folder), readGroup(folder)).end(0);
  await stopping;
  await (agent ?? (await Promise.race([orNull, afterMs(restoreTimeoutMs)])))?.restore();
}

function afterMs(ms: number): Promise<null> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms, null);
  });
}
