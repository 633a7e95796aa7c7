/** A team for objectives: ada manages, ora creates, ben and cy work, and dee is not involved. */
import type { Objective } from '#protocol/objective.ts';
import { startTestBroker, type TestBroker, type TestBrokerOptions } from '../../../testing/test-broker.ts';

const members = { ada: ['admin'], ora: ['objectives.create'], ben: [], cy: [], dee: [] };

export interface ObjectiveTeam extends TestBroker {
  /** ora creates one for ben by default. */
  create(part?: Record<string, unknown>, by?: string): Promise<Objective>;
  /** A raw request with a JSON body. */
  send(
    name: string | null,
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Response>;
}

export async function startObjectiveTeam(options: TestBrokerOptions = {}): Promise<ObjectiveTeam> {
  const team = await startTestBroker({ members, ...options });
  const send: ObjectiveTeam['send'] = (name, method, path, body, headers = {}) =>
    team.fetch(name, path, {
      method,
      headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  // Keeps the team's own getters, because `broker` is another object after a restart.
  return Object.assign(team, {
    send,
    create: (part: Record<string, unknown> = {}, by = 'ora') =>
      team.as(by).call('createObjective', {
        body: { title: 'Ship', outcome: 'It is shipped', assignee: 'ben', ...part },
      }),
  });
}
