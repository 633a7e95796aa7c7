/** From the word after `muster run` to the implementation of its kind, which is loaded only then. */
import type { AgentKind } from './agent.ts';
import { type AgentKindId, agentKindOf } from './agent-kinds.ts';

/** `program` is what the person named; only `command` needs it. */
const loadByKind: Record<AgentKindId, (program: string) => Promise<AgentKind>> = {
  'claude-code': async () => (await import('./claude-code/claude-code.ts')).claudeCode,
  codex: async () => (await import('./codex/codex.ts')).codex,
  command: async (program) => (await import('./command/command.ts')).commandKind(program),
};

/** Returns the implementation for the word after `muster run` (specification/command-line.md#verbs). */
export const loadAgent = (word: string): Promise<AgentKind> => loadByKind[agentKindOf(word).id](word);
