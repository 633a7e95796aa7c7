/** Hooks of Claude Code that fetch the messages which wait for it (design "Bringing a message to the model"). */
import process from 'node:process';
import { type HookEvent, hookEvents } from '../../bridge/mcp-hook.ts';
import type { BridgeCommand } from '../agent.ts';

/** Seconds; the hook itself gives up on a runner that is gone after three. */
const timeoutSeconds = 30;
/** For a POSIX shell, or for those of Windows, which all take double quotes. */
const quoted = (word: string): string =>
  process.platform === 'win32' ? `"${word}"` : `'${word.replaceAll("'", "'\\''")}'`;

/** For `--settings`. The socket and the key come with the agent's environment, nothing secret stands in the command. */
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
