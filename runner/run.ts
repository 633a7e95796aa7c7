/**
 * The composition of a run: records, team, reports, capture, tools, stream, agent. Read this first. Each part
 * defers its own teardown, so that a run ends in the reverse order of its beginning, also if the beginning
 * fails (specification/runner.md#parts).
 */
import { randomUUID } from 'node:crypto';
import type { HttpClient } from '#client/http-client.ts';
import { type BrokerClient, createClient } from '#protocol/client.ts';
import type { AppPaths, Env } from '#protocol/paths.ts';
import type {
  Agent,
  AgentExit,
  AgentKind,
  AgentSetting,
  BridgeCommand,
  Capabilities,
} from './agents/agent.ts';
import { agentEnvironment } from './agents/agent-environment.ts';
import { type AgentLink, createAgentLink } from './agents/agent-link.ts';
import { arrivalOf } from './agents/arrival.rules.ts';
import type { Mode } from './agents/descriptor.ts';
import { loadAgent } from './agents/load-agent.ts';
import { prepareAgent } from './agents/prepare-agent.ts';
import type { BridgeServer } from './bridge/bridge-server.ts';
import { digestText } from './delivery/digest.rules.ts';
import { createStreamFollower } from './delivery/follow-stream.ts';
import { type Capture, startCapture } from './gateway/capture.ts';
import { onExit } from './process/exit-paths.ts';
import { createRunEnding } from './process/run-ending.ts';
import { type AgentSession, openAgentSession } from './session/agent-session.ts';
import { startAgentTools } from './session/agent-tools.ts';
import { instructionsOf } from './session/instructions.rules.ts';
import { createObjectiveMarkers } from './session/objective-markers.ts';
import type { Fresh } from './session/objectives-tracker.ts';
import { type LeaseRefusal, type RunLease, takeLease } from './session/run-lease.ts';
import type { RunLog } from './session/run-log.ts';
import { openRunPlace, openRunRecords, type RunPlace, type RunRecords } from './session/run-records.ts';
import { openReports, type RunReports } from './session/run-reports.ts';
import { openTeamView, readTeam, type TeamView } from './session/team-view.ts';
import { createToolsGate } from './session/tools-gate.ts';
import type { ToolSet } from './toolbox/toolbox.ts';

export interface RunOptions {
  /** The id of a kind of agent, or a command. */
  kind: string;
  args: readonly string[];
  cwd: string;
  mode: Mode;
  isUnattended: boolean;
  /** Whether exchanges with the model are recorded. */
  isTraced: boolean;
  /** Whether other requests of the agent are recorded, too. */
  tracesHttp: boolean;
  /** Which of the team's tools the agent gets; all of them by default. */
  tools?: ToolSet;
  /** Whether the final text of a turn may be the reply to whoever asked; true by default. */
  offersReply?: boolean;
  /** Overrides the model's address. */
  modelUrl: string | null;
  /** Begins a new conversation instead of continuing the one of the last run in this folder. */
  isNewSession?: boolean;
  /** The broker as the member whose agent this is. */
  http: HttpClient;
  env: Env;
  paths: Pick<AppPaths, 'logsDir' | 'runsDir'>;
  /** Ends the run of the member that works at the moment, on any machine. */
  takesOver?: boolean;
  /** How an agent starts `svc mcp-bridge`. */
  bridgeCommand: Pick<BridgeCommand, 'command' | 'args'>;
  /** Whether a command's output is its transcript; otherwise it goes to this process's own output. */
  capturesOutput?: boolean;
  /**
   * Called when the agent starts or stops working: a turn is in progress, or an exchange with its model is.
   */
  onWork?(isWorking: boolean): void;
  /** Prints lines for the person: the state of the run, and the output of an owned agent. */
  tell(line: string): void;
  onTranscript(line: string): void;
}

export interface Run {
  /** Whose run it is. */
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
  try {
    return await composeRun(options, parts);
  } catch (error) {
    await parts.disposeAsync().catch(() => undefined);
    throw error;
  }
}

async function composeRun(options: RunOptions, parts: AsyncDisposableStack): Promise<Run> {
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
  const lease = await openLease(parts, { ...identity, options, broker, runId, place, refusal });
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

interface Refusal {
  readonly by: LeaseRefusal['by'] | null;
  /** Ends the run, with one sentence; only the first call counts. */
  end(refusal: LeaseRefusal): void;
}

function createRefusal(link: AgentLink, tell: (line: string) => void): Refusal {
  let by: Refusal['by'] = null;
  return {
    get by() {
      return by;
    },
    end(refusal) {
      if (by !== null) return;
      by = refusal.by;
      tell(`the broker refuses this run, which now ends: ${refusal.reason}`);
      void link.stop();
    },
  };
}

/** Takes the lease of the member; `parts` returns it. @throws BrokerError run_held. */
async function openLease(
  parts: AsyncDisposableStack,
  given: Identity & { options: RunOptions; broker: Broker; runId: string; place: RunPlace; refusal: Refusal },
): Promise<RunLease | null> {
  const { options, broker, member, capabilities, runId, place, refusal } = given;
  const lease = await takeLease({
    client: broker.client,
    runId,
    member,
    agent: capabilities.version,
    replaces: place.deadRunIds,
    takeOver: options.takesOver ?? false,
    onRefused: refusal.end,
    log: place.log.write,
  });
  if (lease !== null) parts.defer(lease.end);
  return lease;
}

interface Broker {
  http: HttpClient;
  client: BrokerClient;
}

/** Calls that a silent broker still holds up are abandoned at the end. */
function openBroker(parts: AsyncDisposableStack, given: HttpClient): Broker {
  const requests = new AbortController();
  parts.defer(() => requests.abort());
  const http = given.endingWith(requests.signal);
  return { http, client: createClient(http.send) };
}

interface Identity {
  kind: AgentKind;
  /** The agent's environment. */
  env: Readonly<Record<string, string>>;
  team: Fresh;
  member: string;
  capabilities: Capabilities;
}

/** Reads the agent's identity in the team and its capabilities. Changes nothing. */
async function identify({ kind: word, ...options }: RunOptions, client: BrokerClient): Promise<Identity> {
  const { cwd, mode, args } = options;
  const kind = await loadAgent(word);
  const env = agentEnvironment(options.env);
  const team = await readTeam(client);
  const capabilities = await kind.capabilities({ cwd, env, mode, args });
  return { kind, env, team, member: team.briefing.name, capabilities };
}

function announce(options: RunOptions, { member, team, capabilities }: Identity, { log }: RunRecords): void {
  const { cwd, mode, isUnattended, http, tell } = options;
  const { version } = capabilities;
  tell(`${member} of "${team.briefing.team.name}" at ${http.url} · ${version} · log: ${log.path}`);
  log.write('started', { member, agent: version, cwd, mode, unattended: isUnattended });
  if (isUnattended) tell('unattended: the agent acts without asking for permission');
}

interface Assembly extends Broker, Identity {
  options: RunOptions;
  link: AgentLink;
  records: RunRecords;
  /** Null if the broker gives no leases. */
  lease: RunLease | null;
  refusal: Refusal;
  log: RunLog['write'];
}

/** For a program that the person named, which may not speak MCP. */
const missingTools = {
  'in time':
    'this program did not ask for tools within 30 s. If it does not read .mcp.json, it gets neither the tools nor the messages of the team.',
  'at all':
    'this program ended without asking for tools, so it got neither the tools nor the messages of the team',
} as const;

/** Everything around the agent, and the agent itself, prepared. `begin` is called once the agent has started. */
async function assemble(
  parts: AsyncDisposableStack,
  assembly: Assembly,
): Promise<{ agent: Agent; begin(): void }> {
  const { options, kind, env, http, client, link, lease, refusal, log, member, capabilities } = assembly;
  const { folder, state, uploads } = assembly.records;
  const { tell } = options;
  const first = assembly.team;
  const team = await openTeamView(parts, { client, first, onChanged: link.toolsChanged, log });
  const reports = openReports(parts, { ...assembly, ...options, state, team });
  const { work, delivery, model, waits, replies } = reports;
  const capture = await startCapture(parts, {
    ...options,
    kind,
    env,
    onExchange: uploads.add,
    onOpaque: uploads.add,
    onFlight: work.setExchanges,
    onReply: model.onReply,
    wantedTexts: model.wantedTexts,
    log,
  });
  if (capture.isRecorded) delivery.awaitProof();
  const canWake = capabilities.canWake || capabilities.hooks?.wake != null;
  const gate = createToolsGate({
    canWake,
    setReady: delivery.setReady,
    onMissing(when) {
      log('the agent did not ask for the tools', { when });
      if (kind.descriptor.install === null) tell(missingTools[when]);
    },
  });
  const bridge = await startAgentTools(parts, {
    ...capabilities,
    http,
    client,
    team,
    delivery,
    waits,
    tools: options.tools ?? 'all',
    cwd: options.cwd,
    isUnattended: options.isUnattended,
    offersReply: offersReply(assembly),
    onPosted: replies.posted,
    folder,
    onListed: gate.listed,
    onCarried: model.onCarried,
    isExchanging: () => work.isExchanging,
    log,
  });
  link.connect(bridge);
  const follower = createStreamFollower({
    http,
    client,
    name: member,
    state,
    delivery,
    onArrived() {
      waits.arrived();
      bridge.inboxChanged();
    },
    team,
    onPresence: (data) => lease?.onPresence(data),
    onRefused: (reason) => refusal.end({ by: 'credential', reason }),
    log,
    tell,
  });
  parts.defer(follower.stop);
  const markers = createObjectiveMarkers(() => team.briefing.openObjectives, uploads.add);
  parts.defer(markers.end);
  const session = await openAgentSession({
    ...options,
    runsDir: options.paths.runsDir,
    url: http.url,
    member,
    isNew: options.isNewSession ?? false,
    now: Date.now,
    log,
  });
  parts.defer(session.flush);
  const setting = settingOf(assembly, { ...reports, capture, bridge, session });
  const agent = await prepareAgent(parts, kind, setting, { link, tell });
  parts.defer(session.freeze);
  parts.defer(gate.end);
  return {
    agent,
    begin() {
      markers.begin();
      // Presence is tied to the agent's life: the stream is open as long as the agent lives.
      follower.start();
      if (capabilities.canWake) delivery.beginWith(digestOf(team, session, agent));
      gate.begin();
    },
  };
}

/** Returns what the agent must continue, also if no message waits; null for nothing. */
function digestOf({ briefing }: TeamView, { wasCutOff }: AgentSession, agent: Agent): string | null {
  const objectives = briefing.openObjectives.filter(
    ({ assignee, status }) => assignee === briefing.name && status === 'active',
  );
  return digestText({ wasCutOff, isContinued: agent.isContinuing, objectives });
}

/** Only of an owned agent is it known what it says at the end of a turn. */
const offersReply = ({ options, capabilities }: Pick<Assembly, 'options' | 'capabilities'>): boolean =>
  (options.offersReply ?? true) && capabilities.canWake;

function settingOf(
  assembly: Assembly,
  around: RunReports & { capture: Capture; bridge: BridgeServer; session: AgentSession },
): AgentSetting {
  const { options, team, member, capabilities, records, log } = assembly;
  const { work, delivery, replies } = around;
  const mayReply = offersReply(assembly);
  const { cwd, args, mode, isUnattended, capturesOutput = false } = options;
  return {
    cwd,
    args,
    mode,
    isUnattended,
    capturesOutput,
    modelUrl: around.capture.modelUrl,
    env: around.capture.env,
    bridge: { ...options.bridgeCommand, env: around.bridge.env },
    instructions: instructionsOf(team.briefing, { arrival: arrivalOf(capabilities), offersReply: mayReply }),
    member,
    runFolder: records.folder,
    conversation: around.session.conversation,
    events: {
      onEvidence: delivery.onEvidence,
      onTurn(isActive) {
        work.setTurn(isActive);
        if (isActive) around.session.setTurn(true);
      },
      onOutcome(ids, failure) {
        // A turn that failed is continued, also by the next run.
        if (failure === null || failure.kind === 'interrupted') around.session.setTurn(false);
        replies.turnEnded();
        around.model.onOutcome(ids, failure);
      },
      onSetback: around.model.onSetback,
      onTaken: replies.reached,
      ...(mayReply && { onFinalText: replies.finalText }),
      onTranscript(line) {
        log('transcript', { line });
        options.onTranscript(line);
      },
    },
    log,
  };
}
