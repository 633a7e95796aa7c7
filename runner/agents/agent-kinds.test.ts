import { expect, it } from 'vitest';
import { agentKindOf, agentName, lastPartOf } from './agent-kinds.ts';

it.each([
  ['claude-code', null, 'Claude Code'],
  ['codex', null, 'Codex'],
  ['command', '/opt/bin/my-agent', 'my-agent'],
  ['command', 'C:\\Tools\\agent.exe', 'agent.exe'],
] as const)('%s with the program %s is called %s', (id, program, name) => {
  expect(agentName(id, program)).toBe(name);
});

it('a word that is no id names a command', () => {
  expect(agentKindOf('codex').id).toBe('codex');
  expect(agentKindOf('/opt/bin/codex').id).toBe('command');
});

it('the last part of a path is a name even if the path ends with a separator', () => {
  expect(lastPartOf('/home/ada/site/')).toBe('site');
  expect(lastPartOf('/')).toBe('/');
});
