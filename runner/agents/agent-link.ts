/**
 * Connects a run's parts to its agent. The parts exist before the agent and its bridge, so until then, the link shows nothing, sends nothing,
 * and restores nothing.
 */
import type { BridgeServer } from '../bridge/bridge-server.ts';
import { type Agent, AgentError, type Bundle } from './agent.ts';

export interface AgentLink {
  connect(bridge: Pick<BridgeServer, 'toolsChanged' | 'channel'>): void;
  seat(agent: Agent): void;
  toolsChanged(): void;
  /** Shows a bundle on the bridge's channel; false if the agent does not speak MCP with the bridge (yet). */
  show(bundle: Bundle): boolean;
  /** Wakes the model, or steers it during a turn. @throws AgentError if the agent did not take the bundle. */
  bring(bundle: Bundle, isTurn: boolean): Promise<void>;
  /** Ends the turn of the agent. `unable`: there is no way to ask it. @throws AgentError if it refuses. */
  interrupt(): Promise<'asked' | 'idle' | 'unable'>;
  stop(): Promise<void>;
  /** Restores the agent's files without waiting. */
  restoreSync(): void;
}

export function createAgentLink(): AgentLink {
  let agent: Agent | null = null;
  let bridge: Pick<BridgeServer, 'toolsChanged' | 'channel'> | null = null;
  return {
    connect(next) {
      bridge = next;
    },
    seat(next) {
      agent = next;
    },
    toolsChanged: () => bridge?.toolsChanged(),
    show: ({ messageIds, text }) => bridge?.channel(text, { message_ids: messageIds.join(' ') }) ?? false,
    async bring(bundle, isTurn) {
      if (agent === null) throw new AgentError('the agent has not started');
      await (isTurn ? agent.steer(bundle) : agent.wake(bundle));
    },
    async interrupt() {
      if (agent?.interrupt === undefined) return 'unable';
      return (await agent.interrupt()) ? 'asked' : 'idle';
    },
    async stop() {
      await agent?.stop();
    },
    restoreSync: () => agent?.restoreSync(),
  };
}
