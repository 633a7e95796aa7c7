import type { AgentDescriptor } from '../descriptor.ts';

export const claudeCodeDescriptor = {
  id: 'claude-code',
  name: 'Claude Code',
  install: { program: 'claude', npmPackage: '@anthropic-ai/claude-code', minVersion: '2.1.166' },
  capabilities: {
    wakeModes: ['owned', 'terminal'],
    canSteer: true,
    hasChannel: true,
    exchanges: 'anthropic',
    keepsInstructions: true,
    canSkipApprovals: true,
  },
  help: 'messages wake the agent, also in a terminal.',
} as const satisfies AgentDescriptor;
