import type { AgentDescriptor } from '../descriptor.ts';

export const commandDescriptor = {
  id: 'command',
  name: 'Another command',
  install: null,
  capabilities: {
    wakeModes: [],
    canSteer: false,
    hasChannel: false,
    exchanges: null,
    keepsInstructions: false,
    canSkipApprovals: false,
  },
  help: 'give the name or path of a program that reads .mcp.json. Messages wait for its next tool call.',
} as const satisfies AgentDescriptor;
