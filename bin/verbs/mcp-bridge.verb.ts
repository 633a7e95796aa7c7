/** `muster mcp-bridge`: what an agent starts to reach the toolbox of its run (specification/runner.md#parts). */
import { runBridge } from '../agent-programs.ts';
import { defineVerb } from '../verb.ts';

export const verb = defineVerb({
  usage: 'muster mcp-bridge',
  options: {},
  notes: ['An MCP server on standard input and output, which agents start. "muster run" registers it.'],
  run: runBridge,
});
