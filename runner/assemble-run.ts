/** Everything around an agent, and the agent itself: team, reports, capture, tools, stream, and conversation. */
import type { Agent, AgentSetting } from './agents/agent.ts';
import type { AgentLink } from './agents/agent-link.ts';
import { arrivalOf } from './agents/arrival.rules.ts';
import { prepareAgent } from './agents/prepare-agent.ts';
import type { BridgeServer } from './bridge/bridge-server.ts';
import type { Note } from './delivery/delivery-state.rules.ts';
import { digestText } from './delivery/digest.rules.ts';
import { createStreamFollower } from './delivery/follow-stream.ts';
import { type Capture, startCapture } from './gateway/capture.ts';
import type { Broker, Identity } from './run-identity.ts';
import type { RunOptions } from './run-options.ts';
import { type AgentSession, openAgentSession } from './session/agent-session.ts';
import { startAgentTools } from './session/agent-tools.ts';
import { instructionsOf } from './session/instructions.rules.ts';
import { createObjectiveMarkers } from './session/objective-markers.ts';
import type { RunLease } from './session/run-lease.ts';
import type { RunLog } from './session/run-log.ts';
import type { RunRecords } from './session/run-records.ts';
import type { Refusal } from './session/run-refusal.ts';
import { openReports, type RunReports } from './session/run-reports.ts';
import { openTeamView, type TeamView } from './session/team-view.ts';
import { createToolsGate } from './session/tools-gate.ts';

/** The parts of a run before there is an agent. */
export interface Assembly extends Broker, Identity {
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
export async function assemble(
  parts: AsyncDisposableStack,
  assembly: Assembly,
): Promise<{ agent: Agent; begin(): void }> {
  const { options, kind, env, http, client, link, lease, refusal, log, member, capabilities } = assembly;
  const { folder, state, uploads } = assembly.records;
  const { tell } = options;
  const first = assembly.team;
  const team = await openTeamView(parts, { client, first, onChanged: link.toolsChanged, log });
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
  const onAsked = session.setAsked;
  const reports = openReports(parts, { ...assembly, ...options, state, team, onAsked });
  const { work, delivery, waits, causes, replies } = reports;
  const capture = await startCapture(parts, {
    ...options,
    kind,
    env,
    onExchange: uploads.add,
    onOpaque: uploads.add,
    onFlight: work.setExchanges,
    turn: () => delivery.turn,
    onReply: delivery.onReply,
    wantedTexts: delivery.wantedTexts,
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
      if (when === 'in time') lease?.setReach(canWake ? 'messages' : 'nothing');
    },
    onFound: () => lease?.setReach(null),
  });
  const bridge = await startAgentTools(parts, {
    ...capabilities,
    keepsInstructions: kind.descriptor.capabilities.keepsInstructions,
    http,
    client,
    team,
    delivery,
    waits,
    causes,
    tools: options.tools ?? 'all',
    cwd: options.cwd,
    isUnattended: options.isUnattended,
    offersReply: offersReply(assembly),
    onPosted: replies.posted,
    folder,
    onListed: gate.listed,
    onCalled: gate.called,
    onCarried: delivery.onCarried,
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
    onOwnChange: () => lease?.onAsked(),
    onRefused: (reason) => refusal.end({ by: 'credential', reason }),
    log,
    tell,
  });
  parts.defer(follower.stop);
  const markers = createObjectiveMarkers(() => team.briefing.openObjectives, uploads.add);
  parts.defer(markers.end);
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
      // The broker delivers again what the model may not have.
      if (session.wasCutOff && agent.isContinuing)
        replies.continueWith(session.asked.filter(({ inReplyTo }) => !state.wasHandedOver(inReplyTo)));
      gate.begin();
    },
  };
}

/** Returns what the agent must continue, also if no message waits; null for nothing. */
function digestOf({ briefing }: TeamView, { wasCutOff }: AgentSession, agent: Agent): Note | null {
  const objectives = briefing.openObjectives.filter(
    ({ assignee, status }) => assignee === briefing.name && status === 'active',
  );
  const text = digestText({ wasCutOff, isContinued: agent.isContinuing, objectives });
  return text === null ? null : { text, isContinuation: wasCutOff };
}

/** Only of an owned agent is it known what it says at the end of a turn. */
const offersReply = ({ options, capabilities }: Pick<Assembly, 'options' | 'capabilities'>): boolean =>
  (options.offersReply ?? true) && capabilities.canWake;

function settingOf(
  assembly: Assembly,
  around: RunReports & { capture: Capture; bridge: BridgeServer; session: AgentSession },
): AgentSetting {
  const { options, team, member, capabilities, records, log } = assembly;
  const { work, delivery, causes, replies } = around;
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
        else causes.turnEnded();
      },
      onOutcome(ids, failure) {
        // A turn that failed is continued, also by the next run.
        if (failure === null || failure.kind === 'interrupted') {
          around.session.setTurn(false);
          replies.turnEnded();
        } else replies.turnFailed();
        delivery.onOutcome(ids, failure);
      },
      onSetback: delivery.onSetback,
      onTaken: replies.reached,
      ...(mayReply && { onFinalText: replies.finalText }),
      onTranscript(line) {
        log('transcript', { line });
        options.onTranscript(line);
      },
    },
    log,
    tell(sentence) {
      log(sentence);
      options.tell(sentence);
    },
  };
}
