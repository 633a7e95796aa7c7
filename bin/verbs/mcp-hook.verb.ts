/**
 * `svc mcp-hook`: what an agent's hooks run to get the messages that wait for it
 * (specification/runner.md#bringing-messages-to-the-model).
 */
import process from 'node:process';
import { reasonOf } from '#platform/error-text.ts';
import { hookEvents, runMcpHook } from '../../runner/bridge/mcp-hook.ts';
import { CommandFailure } from '../command-failure.ts';
import { UsageError } from '../usage-error.ts';
import { defineVerb } from '../verb.ts';

export const verb = defineVerb({
  usage: `svc mcp-hook <${hookEvents.join('|')}>`,
  options: {},
  takesArguments: true,
  notes: ['Hooks of agents run this command. "svc run" configures them.'],
  async run({ positionals, env }) {
    const event = hookEvents.find((name) => name === positionals[0]);
    if (event === undefined || positionals.length > 1)
      throw new UsageError(`name the hook: ${hookEvents.join(' or ')}`);
    try {
      await runMcpHook({ event, env, input: process.stdin, output: process.stdout });
    } catch (error) {
      throw new CommandFailure(reasonOf(error));
    }
    return 0;
  },
});
