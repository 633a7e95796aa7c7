/** How kinds and states of agents are said. */
import type { AgentKindName, AgentView } from '../../../electron/bridge.ts';
import type { Tone } from '../../ui/badge.tsx';

const nameByKind: Record<AgentKindName, string> = {
  'claude-code': 'Claude Code',
  codex: 'Codex',
  command: 'command',
};

export const lastPart = (path: string): string => path.split(/[\\/]/).findLast((part) => part !== '') ?? path;

/** A command goes by the name of its program. */
export const agentName = (kind: AgentKindName, program: string | null): string =>
  program === null ? nameByKind[kind] : lastPart(program);

export function stateOf({ state, code, isStopped }: AgentView): { word: string; tone: Tone } {
  switch (state) {
    case 'starting':
    case 'stopping':
      return { word: state, tone: 'neutral' };
    case 'waiting':
      return { word: state, tone: 'positive' };
    case 'working':
      return { word: state, tone: 'caution' };
    case 'ended':
      if (isStopped) return { word: 'stopped', tone: 'neutral' };
      if (code === 0) return { word: 'ended', tone: 'neutral' };
      return { word: code === null ? 'failed' : `failed with ${code}`, tone: 'critical' };
  }
}
