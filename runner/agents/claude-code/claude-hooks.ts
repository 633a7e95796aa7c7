/**
 * Hooks of Claude Code in a terminal (seen on 2.1.197): messages come with a prompt, between tools, and at the
 * end of a turn, and a hook that stays wakes an idle agent (specification/runner.md#terminals).
 */
import type { BridgeCommand } from '../agent.ts';
import { type AgentHooks, type HandoverMoment, type HookMoment, jsonAnswer } from '../agent-hooks.ts';
import { hookCommand } from '../hook-command.ts';

/** Seconds; the hook itself gives up after three if the runner is gone. */
const timeoutSeconds = 30;
/** The hook that wakes stays as long as the agent is idle. A timer holds at most 2^31 ms, about 24 days. */
const wakeTimeoutSeconds = 2_000_000;
/**
 * Claude Code writes additional context of more than 10,000 characters to a file and shows its model only the
 * first 2 KB.
 */
const maxContextCharacters = 9900;
const wakeSummary = 'Messages from your team';

const eventByMoment = {
  prompt: 'UserPromptSubmit',
  tools: 'PostToolBatch',
  stop: 'Stop',
} as const satisfies Record<HandoverMoment, string>;

export const claudeHooks: AgentHooks = {
  // A longer text is handed over at the end of the turn, where it can be the reason to go on.
  maxCharacters: (moment) => (moment === 'stop' ? Number.POSITIVE_INFINITY : maxContextCharacters),
  answer(moment, { text, shown }) {
    if (moment === 'stop' && text.length > maxContextCharacters)
      return jsonAnswer({ decision: 'block', reason: text, systemMessage: shown });
    const context = { hookEventName: eventByMoment[moment], additionalContext: text };
    return jsonAnswer({ systemMessage: shown, hookSpecificOutput: context });
  },
  // The turn that this begins asks for the messages with its prompt.
  wake: { stdout: '', stderr: 'They follow with this prompt.', code: 2 },
  argsForPrompt: (prompt) => ['-p', prompt],
};

/** With `--print`, Claude Code would wait for the hook that stays, and it ends after one turn. */
export const canStay = (args: readonly string[]): boolean =>
  !args.some((arg) => arg === '-p' || arg === '--print');

/** For `--settings`. `stays`: whether a hook may stay and wake the agent. */
export function hookSettings(
  bridge: Pick<BridgeCommand, 'command' | 'args'>,
  stays: boolean,
): { hooks: object } {
  const hook = (moment: HookMoment) => ({
    type: 'command',
    command: hookCommand(bridge, moment),
    timeout: timeoutSeconds,
  });
  const wake = {
    ...hook('wake'),
    timeout: wakeTimeoutSeconds,
    asyncRewake: true,
    rewakeMessage: 'Messages from your team have arrived.',
    rewakeSummary: wakeSummary,
  };
  return {
    hooks: {
      ...(stays && { SessionStart: [{ hooks: [wake] }] }),
      UserPromptSubmit: [{ hooks: [hook('prompt')] }],
      PostToolBatch: [{ hooks: [hook('tools')] }],
      Stop: [{ hooks: [hook('stop'), ...(stays ? [wake] : [])] }],
      ...(stays && { StopFailure: [{ hooks: [hook('failed'), wake] }] }),
    },
  };
}
