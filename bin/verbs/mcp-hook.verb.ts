/**
 * `svc mcp-hook`: what an agent's hooks run to get the messages that wait for it
 * (specification/runner.md#terminals).
 */
import process from 'node:process';
import { reasonOf } from '#platform/error-text.ts';
import { hookMoments } from '../../runner/agents/agent-hooks.ts';
import { runMcpHook } from '../../runner/bridge/mcp-hook.ts';
import { CommandFailure } from '../command-failure.ts';
import { UsageError } from '../usage-error.ts';
import { defineVerb } from '../verb.ts';

export const verb = defineVerb({
  usage: `svc mcp-hook <${hookMoments.join('|')}>`,
  options: {},
  takesArguments: true,
  notes: ['Hooks of agents run this command. "svc run" configures them.'],
  async run({ positionals, env }) {
    const moment = hookMoments.find((name) => name === positionals[0]);
    if (moment === undefined || positionals.length > 1)
      throw new UsageError(`name the moment: ${hookMoments.join(', ')}`);
    const { stdin: input, stdout: output, stderr: errors } = process;
    try {
      return await runMcpHook({ moment, env, input, output, errors });
    } catch (error) {
      throw new CommandFailure(reasonOf(error));
    }
  },
});
