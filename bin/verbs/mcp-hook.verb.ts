/**
 * `muster mcp-hook`: what an agent's hooks run to get the messages that wait for it
 * (specification/runner.md#terminals).
 */
import { hookMoments } from '../../runner/agents/agent-hooks.ts';
import { runHook } from '../agent-programs.ts';
import { UsageError } from '../usage-error.ts';
import { defineVerb } from '../verb.ts';

export const verb = defineVerb({
  usage: `muster mcp-hook <${hookMoments.join('|')}>`,
  options: {},
  takesArguments: true,
  notes: ['Hooks of agents run this command. "muster run" configures them.'],
  async run({ positionals }) {
    const moment = hookMoments.find((name) => name === positionals[0]);
    if (moment === undefined || positionals.length > 1)
      throw new UsageError(`name the moment: ${hookMoments.join(', ')}`);
    return runHook(moment);
  },
});
