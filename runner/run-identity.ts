/** The identity of a run's agent: its member, its program, and the broker as that member. */
import type { HttpClient } from '#client/http-client.ts';
import { type BrokerClient, createClient } from '#protocol/client.ts';
import type { AgentKind, Capabilities } from './agents/agent.ts';
import { agentEnvironment } from './agents/agent-environment.ts';
import { loadAgent } from './agents/load-agent.ts';
import type { RunOptions } from './run-options.ts';
import type { Fresh } from './session/objectives-tracker.ts';
import { readTeam } from './session/team-view.ts';

export interface Broker {
  http: HttpClient;
  client: BrokerClient;
}

/** Calls that a silent broker still holds up are abandoned at the end. */
export function openBroker(parts: AsyncDisposableStack, given: HttpClient): Broker {
  const requests = new AbortController();
  parts.defer(() => requests.abort());
  const http = given.endingWith(requests.signal);
  return { http, client: createClient(http.send) };
}

export interface Identity {
  kind: AgentKind;
  /** The agent's environment. */
  env: Readonly<Record<string, string>>;
  team: Fresh;
  member: string;
  capabilities: Capabilities;
}

/** Reads the agent's identity in the team and its capabilities. Changes nothing. */
export async function identify(
  { kind: word, implementation, ...options }: RunOptions,
  client: BrokerClient,
): Promise<Identity> {
  const { cwd, mode, args } = options;
  const kind = implementation ?? (await loadAgent(word));
  const env = agentEnvironment(options.env);
  const team = await readTeam(client);
  const capabilities = await kind.capabilities({ cwd, env, mode, args });
  return { kind, env, team, member: team.briefing.name, capabilities };
}
