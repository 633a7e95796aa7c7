import type { AgentDescriptor } from '../descriptor.ts';

export const claudeCodeDescriptor = {
  id: 'claude-code',
  name: 'Claude Code',
  install: { program: 'claude', npmPackage: '@anthropic-ai/claude-code' },
  capabilities: {
    wakeModes: ['owned'],
    canSteer: true,
    hasChannel: true,
    exchanges: 'anthropic',
    canSkipApprovals: true,
  },
  help: 'Messages wake the agent. In a terminal, its hooks fetch them at each prompt.',
} as const satisfies AgentDescriptor;
