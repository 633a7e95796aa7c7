/**
 * The team's tools for the agent: the toolbox behind the bridge, and the evidence about messages that its use
 * provides.
 */
import type { HttpClient } from '#client/http-client.ts';
import { type BridgeServer, startBridgeServer } from '../bridge/bridge-server.ts';
import { shortenResult } from '../bridge/shorten-result.ts';
import type { Delivery } from '../delivery/delivery.ts';
import { createHookHandover } from '../delivery/hook-handover.ts';
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
  /** For results that are too long. */
  folder: string;
  onListed(): void;
  /** The result of a tool carried these messages to the agent. */
  onCarried(messageIds: readonly string[]): void;
  log: (event: string, data?: object) => void;
}

/** Starts the bridge's side of the runner; `parts` closes it. @throws the system's error. */
export async function startAgentTools(
  parts: AsyncDisposableStack,
  options: AgentToolsOptions,
): Promise<BridgeServer> {
  const { team, delivery, canWake, hasChannel, onListed, log } = options;
  const toolbox = toolboxOf(options);
  const bridge = await startBridgeServer({
    instructions: () => instructionsOf(team.briefing, canWake),
    list: toolbox.list,
    onListed,
    call: toolbox.call,
    onAnswered: toolbox.sent,
    handOver: createHookHandover({ ...delivery, log }),
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

const messageIdPattern = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g;

function toolboxOf(options: AgentToolsOptions): Toolbox {
  const { http, team, delivery, canWake, folder, onCarried, log } = options;
  return createToolbox({
    caller: () => ({ briefing: team.briefing, originated: team.originated }),
    context: { broker: createBrokerCalls(http), touch: () => team.touch(true) },
    now: Date.now,
    unread: canWake ? null : (besides) => delivery.unread - besides.filter(delivery.waits).length,
    onCall(tool, input) {
      log('tool call', { tool });
      const named = JSON.stringify(input ?? null).match(messageIdPattern) ?? [];
      const reached = [...new Set(named)].filter(delivery.mayHaveReached);
      if (reached.length > 0) delivery.onEvidence(reached, 'answered');
    },
    onCarried,
    shorten: (text) => shortenResult(folder, text),
  });
}
