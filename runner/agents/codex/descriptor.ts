import type { AgentDescriptor } from '../descriptor.ts';

export const codexDescriptor = {
  id: 'codex',
  name: 'Codex',
  install: { program: 'codex', npmPackage: '@openai/codex', minVersion: '0.163.0' },
  capabilities: {
    wakeModes: ['owned'],
    canSteer: true,
    hasChannel: false,
    exchanges: 'openai',
    keepsInstructions: true,
    canSkipApprovals: true,
  },
  help: 'messages wake the agent. In a terminal, they come with the next prompt, after a tool, or at the end of a turn.',
} as const satisfies AgentDescriptor;
