/**
 * The composition of a run: records, team, reports, capture, tools, stream, agent. Read this first. Each part
 * defers its own teardown, so that a run ends in the reverse order of its beginning, also if the beginning
 * fails (specification/runner.md#parts).
 */
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
import type { Mode } from './agents/descriptor.ts';
import { loadAgent } from './agents/load-agent.ts';
import { prepareAgent } from './agents/prepare-agent.ts';
import type { BridgeServer } from './bridge/bridge-server.ts';
import { createDelivery, type Delivery } from './delivery/delivery.ts';
import { createStreamFollower } from './delivery/follow-stream.ts';
import { createMessageWaits, type MessageWaits } from './delivery/message-waits.ts';
import { type Capture, startCapture } from './gateway/capture.ts';
import { onExit } from './process/exit-paths.ts';
import { createRunEnding } from './process/run-ending.ts';
import { startAgentTools } from './session/agent-tools.ts';
import { instructionsOf } from './session/instructions.rules.ts';
import { createObjectiveMarkers } from './session/objective-markers.ts';
import type { Fresh } from './session/objectives-tracker.ts';
import type { RunLog } from './session/run-log.ts';
import { openRunRecords, type RunRecords } from './session/run-records.ts';
import { openTeamView, readTeam, type TeamView } from './session/team-view.ts';
import { createToolsGate } from './session/tools-gate.ts';
import { createTurnReplies, type TurnReplies } from './session/turn-reply.ts';
import { createWorkReport, type WorkReport } from './session/work-report.ts';
import { createBrokerCalls } from './toolbox/broker-calls.ts';
import { post } from './toolbox/post.ts';
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
  /** The broker as the member whose agent this is. */
  http: HttpClient;
  env: Env;
  paths: Pick<AppPaths, 'logsDir' | 'runsDir'>;
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
  /** As if the process had got this signal. */
  end(signal: NodeJS.Signals): void;
  /**
   * Ends the agent, restores every file, and reports what is left to report. Repeating it changes nothing.
   */
  stop(): Promise<void>;
  /** Resolves with how the agent ended, when everything is restored and reported. */
  readonly ended: Promise<AgentExit>;
}

/** @throws AgentError, ConnectionError, or BrokerError with one sentence; then everything is as before. */
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
  let hasStarted = false;
  const records = await openRunRecords(parts, {
    paths: options.paths,
    url: broker.http.url,
    member: identity.member,
    send: broker.http.send,
    hasActivity: () => hasStarted,
    tell,
  });
  const log = records.log.write;
  announce(options, identity, records);
  const { agent, begin } = await assemble(parts, { ...broker, ...identity, options, link, records, log });
  await agent.start();
  hasStarted = true;
  log('agent started', { pid: agent.pid });
  begin();
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
    end: ending.end,
    stop: ending.stop,
    ended: ending.ended,
  };
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
  log: RunLog['write'];
}

/** Everything around the agent, and the agent itself, prepared. `begin` is called once the agent has started. */
async function assemble(
  parts: AsyncDisposableStack,
  assembly: Assembly,
): Promise<{ agent: Agent; begin(): void }> {
  const { options, kind, env, http, client, link, log, member, capabilities } = assembly;
  const { folder, state, uploads } = assembly.records;
  const { tell } = options;
  const first = assembly.team;
  const team = await openTeamView(parts, { client, first, onChanged: link.toolsChanged, log });
  const { work, delivery, waits, replies } = openReports(parts, assembly, team);
  const capture = await startCapture(parts, {
    ...options,
    kind,
    env,
    onExchange: uploads.add,
    onOpaque: uploads.add,
    onFlight: work.setExchanges,
    log,
  });
  const gate = createToolsGate({ canWake: capabilities.canWake, setReady: delivery.setReady, log });
  const toolsOptions = {
    ...capabilities,
    http,
    client,
    team,
    delivery,
    waits,
    tools: options.tools ?? 'all',
    cwd: options.cwd,
    offersReply: offersReply(assembly),
    onPosted: replies.posted,
    folder,
    onListed: gate.listed,
    log,
  };
  const bridge = await startAgentTools(parts, toolsOptions);
  link.connect(bridge);
  const onRefused = (): void => void link.stop();
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
    onRefused,
    log,
    tell,
  });
  parts.defer(follower.stop);
  const markers = createObjectiveMarkers(() => team.briefing.openObjectives, uploads.add);
  parts.defer(markers.end);
  const setting = settingOf(assembly, { capture, bridge, work, delivery, replies });
  const agent = await prepareAgent(parts, kind, setting, { link, tell });
  parts.defer(gate.end);
  return {
    agent,
    begin() {
      markers.begin();
      // Presence is tied to the agent's life: the stream is open as long as the agent lives.
      follower.start();
      gate.begin();
    },
  };
}

interface Reports {
  work: WorkReport;
  delivery: Delivery;
  waits: MessageWaits;
  replies: TurnReplies;
}

/** Creates the reports to the broker: whether the agent works, and the evidence for its messages. */
function openReports(
  parts: AsyncDisposableStack,
  { options, http, client, member, link, records, capabilities, log }: Assembly,
  team: TeamView,
): Reports {
  const work = createWorkReport({
    report: (busy) => client.call('reportBusy', { body: { busy } }),
    onWork: options.onWork,
    log,
  });
  const waits = createMessageWaits(() => delivery);
  const calls = createBrokerCalls(http);
  const replies = createTurnReplies({
    self: member,
    post: ({ place, inReplyTo }, body) => post(calls, place, { body, inReplyTo, auto: true }),
    log,
  });
  const delivery: Delivery = createDelivery({
    state: records.state,
    offer: capabilities.hasChannel ? link.show : null,
    messageContext: team.messageContext,
    bring: capabilities.canWake
      ? async (bundle) => {
          const { messages = [] } = bundle;
          const isTaken = waits.take(bundle);
          const { isTurn } = work;
          replies.brought(messages, isTaken || !isTurn);
          if (isTaken) return;
          await link.bring(bundle, isTurn).catch((error: unknown) => {
            replies.refused(messages);
            throw error;
          });
        }
      : null,
    report: async (id, evidence, at) => {
      await client.call('reportEvidence', { params: { id }, body: { state: evidence, at } });
    },
    now: Date.now,
    log,
  });
  parts.defer(async () => {
    // Together, as each may wait for a silent broker.
    await Promise.allSettled([work.stop(), delivery.flushReports()]);
  });
  return { work, delivery, waits, replies };
}

/** Only of an owned agent is it known what it says at the end of a turn. */
const offersReply = ({ options, capabilities }: Pick<Assembly, 'options' | 'capabilities'>): boolean =>
  (options.offersReply ?? true) && capabilities.canWake;

function settingOf(
  assembly: Assembly,
  around: { capture: Capture; bridge: BridgeServer } & Omit<Reports, 'waits'>,
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
    ...around.capture,
    bridge: { ...options.bridgeCommand, env: around.bridge.env },
    instructions: instructionsOf(team.briefing, { ...capabilities, offersReply: mayReply }),
    member,
    runFolder: records.folder,
    events: {
      onEvidence(messageIds, state) {
        if (state === 'in_context') replies.reached(messageIds);
        delivery.onEvidence(messageIds, state);
      },
      onTurn(isActive) {
        if (!isActive) replies.turnEnded();
        work.setTurn(isActive);
      },
      ...(mayReply && { onFinalText: replies.finalText }),
      onTranscript(line) {
        log('transcript', { line });
        options.onTranscript(line);
      },
    },
    log,
  };
}
