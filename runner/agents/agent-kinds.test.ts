import { expect, it } from 'vitest';
import { agentKindOf, agentKinds, agentName, lastPartOf } from './agent-kinds.ts';
import { loadAgent } from './load-agent.ts';

it.each(agentKinds.map(({ id }) => id))('the implementation of %s is the one of its row', async (id) => {
  expect((await loadAgent(id)).descriptor).toBe(agentKindOf(id));
});

it('treats a word that is not an id as a command', async () => {
  expect(agentKindOf('/usr/bin/agent').id).toBe('command');
  expect((await loadAgent('/usr/bin/agent')).descriptor.id).toBe('command');
});

it.each([
  ['claude-code', null, 'Claude Code'],
  ['codex', null, 'Codex'],
  ['command', '/opt/bin/my-agent', 'my-agent'],
  ['command', 'C:\\Tools\\agent.exe', 'agent.exe'],
] as const)('%s with the program %s is called %s', (id, program, name) => {
  expect(agentName(id, program)).toBe(name);
});

it('the last part of a path is a name even if the path ends with a separator', () => {
  expect(lastPartOf('/home/ada/site/')).toBe('site');
  expect(lastPartOf('/')).toBe('/');
});
