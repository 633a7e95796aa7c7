/** Every kind of agent that `svc run` knows; anything else is a command (specification, D16). */
import type { AgentKind } from './agent.ts';

export async function agentKind(name: string): Promise<AgentKind> {
  if (name === 'claude-code') return (await import('./claude-code/claude-code.ts')).claudeCode;
  if (name === 'codex') return (await import('./codex/codex.ts')).codex;
  return (await import('./command/command.ts')).commandKind(name);
}
