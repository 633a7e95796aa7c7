/**
 * The composition of a run: records, team, reports, capture, tools, stream, agent. Read this first. Each part
 * defers its own teardown, so that a run ends in the reverse order of its beginning, also if the beginning
 * fails (specification/runner.md#parts).
 */
import { randomUUID } from 'node:crypto';
import type { AgentExit } from './agents/agent.ts';
import { createAgentLink } from './agents/agent-link.ts';
import { assemble } from './assemble-run.ts';
import { onExit } from './process/exit-paths.ts';
import { createForeground, type Foreground } from './process/foreground.ts';
import { createRunEnding } from './process/run-ending.ts';
import { isScreenTaken } from './process/taken-screen.ts';
import { type Broker, type Identity, identify, openBroker } from './run-identity.ts';
import type { RunOptions } from './run-options.ts';
import { createInterruption } from './session/interruption.ts';
import { type LeaseRefusal, type RunLease, takeLease } from './session/run-lease.ts';
import { openRunPlace, openRunRecords, type RunPlace, type RunRecords } from './session/run-records.ts';
import { createRefusal, type Refusal } from './session/run-refusal.ts';

export interface Run {
  /** The member whose run it is. */
  readonly member: string;
  /** The agent's name and version: `Claude Code 2.1.197`. */
  readonly agent: string;
  /** Whether messages wake the agent; one that cannot be woken reports no turns either. */
  readonly wakes: boolean;
  readonly pid: number | null;
  readonly logPath: string;
  /** The signal that ended it; null if the agent ended by itself. */
  readonly endedBy: NodeJS.Signals | null;
  /** Why the broker ended it; null if it did not. */
  readonly refusedBy: LeaseRefusal['by'] | null;
  /** As if the process had got this signal. */
  end(signal: NodeJS.Signals): void;
  /**
   * Ends the agent, restores every file, and reports what is left to report. Repeating it changes nothing.
   */
  stop(): Promise<void>;
  /** Resolves with how the agent ended, when everything is restored and reported. */
  readonly ended: Promise<AgentExit>;
}

/**
 * @throws AgentError, ConnectionError, or BrokerError with one sentence; then everything is as before.
 * `run_held`: the member has another run.
 */
export async function startRun(options: RunOptions): Promise<Run> {
  const parts = new AsyncDisposableStack();
  const foreground = createForeground(options.tell);
  parts.defer(foreground.take);
  try {
    return await composeRun({ ...options, tell: foreground.tell }, parts, foreground);
  } catch (error) {
    await parts.disposeAsync().catch(() => undefined);
    throw error;
  }
}

async function composeRun(
  options: RunOptions,
  parts: AsyncDisposableStack,
  foreground: Foreground,
): Promise<Run> {
  const { mode, tell } = options;
  const link = createAgentLink();
  const broker = openBroker(parts, options.http);
  const exitPaths = onExit(link.restoreSync);
  parts.defer(exitPaths.release);
  const identity = await identify(options, broker.client);
  const owner = { url: broker.http.url, member: identity.member };
  const { paths } = options;
  const runId = randomUUID();
  const place = await openRunPlace(parts, { paths, owner, runId });
  const log = place.log.write;
  const refusal = createRefusal(link, tell);
  const onInterrupt = createInterruption({ link, tell, log });
  const lease = await openLease(parts, { ...identity, options, broker, runId, place, refusal, onInterrupt });
  let hasStarted = false;
  const records = await openRunRecords(parts, {
    paths,
    owner,
    place,
    send: broker.http.send,
    hasActivity: () => hasStarted,
    tell,
  });
  announce(options, identity, records);
  const assembly = { ...broker, ...identity, options, link, records, lease, refusal, log };
  const { agent, begin } = await assemble(parts, assembly);
  // Another command may use the whole screen, print lines itself, or print nothing.
  if (mode === 'terminal')
    foreground.give(identity.kind.descriptor.install === null ? isScreenTaken : undefined);
  await agent.start();
  hasStarted = true;
  log('agent started', { pid: agent.pid });
  begin();
  // The broker may have refused the run before there was an agent to stop.
  if (refusal.by !== null) void link.stop();
  const ending = createRunEnding({ parts, agent, mode, log });
  exitPaths.started(ending.end);
  return {
    member: identity.member,
    agent: identity.capabilities.version,
    wakes: identity.capabilities.canWake,
    pid: agent.pid,
    logPath: records.log.path,
    get endedBy() {
      return ending.endedBy;
    },
    get refusedBy() {
      return refusal.by;
    },
    end: ending.end,
    stop: ending.stop,
    ended: ending.ended,
  };
}

/** Takes the lease of the member; `parts` returns it. @throws BrokerError run_held. */
async function openLease(
  parts: AsyncDisposableStack,
  given: Identity & {
    options: RunOptions;
    broker: Broker;
    runId: string;
    place: RunPlace;
    refusal: Refusal;
    onInterrupt: (by: string) => void;
  },
): Promise<RunLease | null> {
  const { options, broker, member, capabilities, runId, place, refusal, onInterrupt } = given;
  const lease = await takeLease({
    client: broker.client,
    runId,
    member,
    agent: capabilities.version,
    replaces: place.deadRunIds,
    takeOver: options.takesOver ?? false,
    onRefused: refusal.end,
    onInterrupt,
    log: place.log.write,
  });
  if (lease !== null)
    parts.defer(async () => {
      if (!(await lease.end())) place.keepMarker();
    });
  return lease;
}

function announce(options: RunOptions, { member, team, capabilities }: Identity, { log }: RunRecords): void {
  const { cwd, mode, isUnattended, http, tell } = options;
  const { version } = capabilities;
  tell(`${member} of "${team.briefing.team.name}" at ${http.url} · ${version} · log: ${log.path}`);
  log.write('started', { member, agent: version, cwd, mode, unattended: isUnattended });
  if (isUnattended) tell('unattended: the agent acts without asking for permission');
}
