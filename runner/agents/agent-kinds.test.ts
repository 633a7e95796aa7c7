import { expect, it } from 'vitest';
import { agentKindOf, agentKinds } from './agent-kinds.ts';
import { loadAgent } from './load-agent.ts';

it.each(agentKinds.map(({ id }) => id))('the implementation of %s is the one of its row', async (id) => {
  expect((await loadAgent(id)).descriptor).toBe(agentKindOf(id));
});

it('a word that is not an id names a command', async () => {
  expect(agentKindOf('/usr/bin/agent').id).toBe('command');
  expect((await loadAgent('/usr/bin/agent')).descriptor.id).toBe('command');
});
