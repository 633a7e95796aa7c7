/**
 * The team's tools for the agent: the toolbox behind the bridge, and the evidence about messages that its use
 * provides.
 */
import type { HttpClient } from '#client/http-client.ts';
import type { BrokerClient } from '#protocol/client.ts';
import type { AgentHooks } from '../agents/agent-hooks.ts';
import { arrivalOf } from '../agents/arrival.rules.ts';
import { createStatusFile } from '../agents/status-file.ts';
import { type BridgeHandlers, type BridgeServer, startBridgeServer } from '../bridge/bridge-server.ts';
import { shortenResult } from '../bridge/shorten-result.ts';
import type { Delivery } from '../delivery/delivery.ts';
import { createHookHandover } from '../delivery/hook-handover.ts';
import { createIdleWaker } from '../delivery/idle-waker.ts';
import { inboxText } from '../delivery/inbox-text.ts';
import type { MessageWaits } from '../delivery/message-waits.ts';
import { createBrokerCalls } from '../toolbox/broker-calls.ts';
import { createToolbox, type Toolbox, type ToolSet } from '../toolbox/toolbox.ts';
import { createWorkFolder } from '../toolbox/work-folder.ts';
import { instructionsOf, toolsLine } from './instructions.rules.ts';
import type { TeamView } from './team-view.ts';
import type { TurnCauses } from './turn-causes.ts';

export interface AgentToolsOptions {
  http: HttpClient;
  client: BrokerClient;
  team: TeamView;
  delivery: Delivery;
  waits: MessageWaits;
  causes: TurnCauses;
  tools: ToolSet;
  /** Whether the agent's system prompt says who it is. */
  keepsInstructions: boolean;
  /** Whether the final text of a turn may be its reply. */
  offersReply: boolean;
  /** The agent posted something. */
  onPosted(): void;
  canWake: boolean;
  hasChannel: boolean;
  /** In which the agent works. */
  cwd: string;
  isUnattended: boolean;
  hooks: AgentHooks | null;
  /** Whether an exchange with the agent's model is in progress. */
  isExchanging(): boolean;
  /** For results that are too long. */
  folder: string;
  onListed(): void;
  onCalled(): void;
  /** The result of a tool carried these messages to the agent. */
  onCarried(messageIds: readonly string[]): void;
  log: (event: string, data?: object) => void;
}

/** Starts the bridge's side of the runner; `parts` closes it. @throws the system's error. */
export async function startAgentTools(
  parts: AsyncDisposableStack,
  options: AgentToolsOptions,
): Promise<BridgeServer> {
  const {
    client,
    team,
    delivery,
    canWake,
    keepsInstructions,
    offersReply,
    hasChannel,
    onListed,
    onCalled,
    log,
  } = options;
  let hooksCame = false;
  let showsStructured = false;
  const toolbox = toolboxOf(options, { hooksCame: () => hooksCame, isStructured: () => showsStructured });
  const serveHook = handoverOf(parts, options);
  const bridge = await startBridgeServer({
    instructions: () =>
      keepsInstructions
        ? toolsLine(team.briefing.team.name)
        : instructionsOf(team.briefing, { arrival: arrivalOf(options), offersReply }),
    list: toolbox.list,
    // Claude Code offers three tools for resources in each request, and where messages wake the agent, none waits.
    ...(!canWake && { inbox: async () => inboxText(await client.call('waiting', {})) }),
    onListed,
    call(...call) {
      onCalled();
      return toolbox.call(...call);
    },
    onAnswered: toolbox.answered,
    handOver(...asked) {
      hooksCame = true;
      return serveHook(...asked);
    },
    onInitialized(program) {
      log('the agent speaks MCP', { client: program });
      showsStructured = !replacesText.test(program);
      // This delivers the messages that could not be shown before there was a channel.
      if (hasChannel) delivery.setReady(true);
    },
    onGone: () => log('the bridge is gone'),
  });
  parts.defer(bridge.close);
  return bridge;
}

/** Returns what serves the agent's hooks; an agent without any gets nothing by them. */
function handoverOf(
  parts: AsyncDisposableStack,
  { delivery, causes, hooks, folder, isExchanging, log }: AgentToolsOptions,
): BridgeHandlers['handOver'] {
  if (hooks === null) return () => Promise.resolve(null);
  const waker = createIdleWaker({ hasWaiting: () => delivery.hasWaiting, isExchanging });
  parts.defer(waker.close);
  const statusLine = createStatusFile(folder);
  parts.defer(statusLine.close);
  delivery.watch(() => {
    statusLine.show(delivery.unread);
    waker.look();
  });
  return createHookHandover({
    ...delivery,
    hasWaking: () => delivery.hasWaking,
    onPrompt: causes.forget,
    hooks,
    waker,
    log,
  });
}

const messageIdPattern = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g;

/** They show structured content to the model instead of the text (seen on Claude Code 2.1.197 and Codex 0.169.0). */
const replacesText = /claude|codex/i;

interface Seen {
  /** Hooks bring the messages, so that no result needs to report them. */
  hooksCame(): boolean;
  /** The agent does not show structured content instead of the text. */
  isStructured(): boolean;
}

function toolboxOf(options: AgentToolsOptions, { hooksCame, isStructured }: Seen): Toolbox {
  const { http, team, delivery, waits, tools: set, canWake, folder, onCarried, onPosted, log } = options;
  return createToolbox({
    caller: () => ({ briefing: team.briefing, originated: team.originated }),
    context: {
      broker: createBrokerCalls(http),
      touch: () => team.touch(true),
      workFolder: createWorkFolder(options.cwd, options.isUnattended),
      nextMessages: waits.next,
      causes: options.causes.current,
    },
    set,
    isStructured,
    now: Date.now,
    unread: canWake
      ? null
      : (besides) => (hooksCame() ? 0 : delivery.unread - besides.filter(delivery.waits).length),
    onCall: (tool) => log('tool call', { tool }),
    onPosted(input, isHeld) {
      onPosted();
      if (isHeld) return;
      const named = JSON.stringify(input ?? null).match(messageIdPattern) ?? [];
      // A message that waits in the agent's input was not read yet: another one may have quoted its id.
      const read = [...new Set(named)].filter(delivery.isSettled);
      if (read.length > 0) delivery.onEvidence(read, 'answered');
    },
    onCarried,
    onUnsent: (ids) => {
      delivery.putBack(ids);
      waits.arrived();
    },
    shorten: (text) => shortenResult(folder, text),
  });
}
