/**
 * The team's tools for the agent: the toolbox behind the bridge, and the evidence about messages that its use
 * provides.
 */
import type { HttpClient } from '#client/http-client.ts';
import type { AgentHooks } from '../agents/agent-hooks.ts';
import { arrivalOf } from '../agents/arrival.rules.ts';
import { createStatusFile } from '../agents/status-file.ts';
import { type BridgeHandlers, type BridgeServer, startBridgeServer } from '../bridge/bridge-server.ts';
import { shortenResult } from '../bridge/shorten-result.ts';
import type { Delivery } from '../delivery/delivery.ts';
import { createHookHandover } from '../delivery/hook-handover.ts';
import { createIdleWaker } from '../delivery/idle-waker.ts';
import { createBrokerCalls } from '../toolbox/broker-calls.ts';
import { createToolbox, type Toolbox } from '../toolbox/toolbox.ts';
import { instructionsOf } from './instructions.rules.ts';
import type { TeamView } from './team-view.ts';

export interface AgentToolsOptions {
  http: HttpClient;
  team: TeamView;
  delivery: Delivery;
  canWake: boolean;
  hasChannel: boolean;
  hooks: AgentHooks | null;
  /** Whether an exchange with the agent's model is in progress. */
  isExchanging(): boolean;
  /** For results that are too long. */
  folder: string;
  onListed(): void;
  log: (event: string, data?: object) => void;
}

/** Starts the bridge's side of the runner; `parts` closes it. @throws the system's error. */
export async function startAgentTools(
  parts: AsyncDisposableStack,
  options: AgentToolsOptions,
): Promise<BridgeServer> {
  const { team, delivery, hasChannel, onListed, log } = options;
  let hooksCame = false;
  const toolbox = toolboxOf(options, () => hooksCame);
  const serveHook = handoverOf(parts, options);
  const bridge = await startBridgeServer({
    instructions: () => instructionsOf(team.briefing, arrivalOf(options)),
    list: toolbox.list,
    onListed,
    call: toolbox.call,
    onAnswered: toolbox.sent,
    handOver(...asked) {
      hooksCame = true;
      return serveHook(...asked);
    },
    onInitialized(client) {
      log('the agent speaks MCP', { client });
      // What could not be shown before there was a channel.
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
  { delivery, hooks, folder, isExchanging, log }: AgentToolsOptions,
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
  return createHookHandover({ ...delivery, hooks, waker, log });
}

const messageIdPattern = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g;

/** `hooksCame`: hooks bring the messages, so that no result needs to report them. */
function toolboxOf(
  { http, team, delivery, canWake, folder, log }: AgentToolsOptions,
  hooksCame: () => boolean,
): Toolbox {
  return createToolbox({
    caller: () => ({ briefing: team.briefing, originated: team.originated }),
    context: { broker: createBrokerCalls(http), touch: () => team.touch(true) },
    now: Date.now,
    unread: canWake
      ? null
      : (besides) => (hooksCame() ? 0 : delivery.unread - besides.filter(delivery.waits).length),
    onCall(tool, input) {
      log('tool call', { tool });
      const named = JSON.stringify(input ?? null).match(messageIdPattern) ?? [];
      const reached = [...new Set(named)].filter(delivery.mayHaveReached);
      if (reached.length > 0) delivery.onEvidence(reached, 'answered');
    },
    onCarried: (ids) => delivery.onEvidence(ids.filter(delivery.knows), 'in_context'),
    shorten: (text) => shortenResult(folder, text),
  });
}
