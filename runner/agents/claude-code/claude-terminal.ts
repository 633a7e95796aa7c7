/** Claude Code in the person's own terminal: hooks bring what waits, a channel shows it at once where the account has channels. */
import type { Agent, AgentSetting } from '../agent.ts';
import { createPersonProcess } from '../person-process.ts';
import type { ClaudeStart } from './claude-owned.ts';

/** For a channel of our server, which people allow with this: `svc run claude-code -- --dangerously-load-development-channels server:svc`. */
const channelFlag = '--dangerously-load-development-channels';

/** Whether the arguments for the agent load our channel. */
export function loadsChannel(args: readonly string[]): boolean {
  const at = args.indexOf(channelFlag);
  const servers = at < 0 ? [] : args.slice(at + 1);
  return servers.includes('server:svc') || args.includes(`${channelFlag}=server:svc`);
}

/** `start.args` hold the settings with the hooks (claude-hooks.ts). */
export function createTerminalClaude(setting: AgentSetting, start: ClaudeStart): Agent {
  const { cwd, args, bridge, mode, log } = setting;
  return createPersonProcess({
    command: start.command,
    // Of the same option the last one counts, so that the person has the last word.
    args: [...start.args, ...args],
    cwd,
    // Hooks reach the runner with these; nothing secret stands in their command lines.
    env: { ...start.env, ...bridge.env },
    mode,
    undo() {
      const said = start.registration.restore();
      if (said !== null) log(said);
    },
  });
}
