/** `svc mcp-bridge`: what an agent starts to reach the toolbox of its run (specification/runner.md#parts). */
import { reasonOf } from '#platform/error-text.ts';
import manifest from '../../package.json' with { type: 'json' };
import { CommandFailure } from '../command-failure.ts';
import { defineVerb } from '../verb.ts';

export const verb = defineVerb({
  usage: 'svc mcp-bridge',
  options: {},
  notes: ['An MCP server on standard input and output, which agents start. "svc run" registers it.'],
  async run({ env }) {
    const { runMcpBridge } = await import('../../runner/bridge/mcp-bridge.ts');
    try {
      return await runMcpBridge(env, manifest.version);
    } catch (error) {
      throw new CommandFailure(reasonOf(error));
    }
  },
});
