/** The name of an agent's state. */
import type { AgentView } from '../../../electron/bridge.ts';
import type { Tone } from '../../ui/badge.tsx';

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
      return { word: code === null ? 'failed' : `failed with exit code ${code}`, tone: 'critical' };
  }
}
