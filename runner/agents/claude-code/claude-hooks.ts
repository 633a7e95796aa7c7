/**
 * Hooks of Claude Code that fetch waiting messages (specification/runner.md#bringing-messages-to-the-model).
 */
import process from 'node:process';
import { type HookEvent, hookEvents } from '../../bridge/mcp-hook.ts';
import type { BridgeCommand } from '../agent.ts';

/** Seconds; the hook itself gives up after three if the runner is gone. */
const timeoutSeconds = 30;
/** For a POSIX shell, or for those of Windows, which all accept double quotes. */
const quoted = (word: string): string =>
  process.platform === 'win32' ? `"${word}"` : `'${word.replaceAll("'", "'\\''")}'`;

/**
 * For `--settings`. The socket and the key come with the agent's environment, so no secret is in the command.
 */
export function hookSettings({ command, args }: Pick<BridgeCommand, 'command' | 'args'>): { hooks: object } {
  const own = args.at(-1) === 'mcp-bridge' ? args.slice(0, -1) : args;
  const lineOf = (event: HookEvent) => [command, ...own, 'mcp-hook', event].map(quoted).join(' ');
  return {
    hooks: Object.fromEntries(
      hookEvents.map((event) => [
        event,
        [{ hooks: [{ type: 'command', command: lineOf(event), timeout: timeoutSeconds }] }],
      ]),
    ),
  };
}
