/** The command line of a hook. Socket and key come with the agent's environment, so no secret is in it. */
import process from 'node:process';
import type { BridgeCommand } from './agent.ts';
import type { HookMoment } from './agent-hooks.ts';

/** For a POSIX shell, or for those of Windows, which all accept double quotes. */
export const quoted = (word: string): string =>
  process.platform === 'win32' ? `"${word}"` : `'${word.replaceAll("'", "'\\''")}'`;

export function hookCommand(
  { command, args }: Pick<BridgeCommand, 'command' | 'args'>,
  moment: HookMoment,
): string {
  const own = args.at(-1) === 'mcp-bridge' ? args.slice(0, -1) : args;
  return [command, ...own, 'mcp-hook', moment].map(quoted).join(' ');
}
