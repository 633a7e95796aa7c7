/**
 * Claude Code in the user's own terminal: hooks fetch waiting messages, and a channel shows them immediately if
 * the account has channels.
 */
import type { Agent, AgentSetting } from '../agent.ts';
import { createPersonProcess } from '../person-process.ts';
import type { ClaudeStart } from './claude-owned.ts';

/**
 * For the channel of the runner's server, which people allow with `muster run claude-code --
 * --dangerously-load-development-channels server:svc`.
 */
const channelFlag = '--dangerously-load-development-channels';

/** Whether the arguments for the agent load the channel. */
export function loadsChannel(args: readonly string[]): boolean {
  const at = args.indexOf(channelFlag);
  const servers = at < 0 ? [] : args.slice(at + 1);
  return servers.includes('server:svc') || args.includes(`${channelFlag}=server:svc`);
}

/** `start.args` contain the settings with the hooks (claude-hooks.ts). */
export function createTerminalClaude(setting: AgentSetting, start: ClaudeStart): Agent {
  const { cwd, args, bridge, mode, runFolder, capturesOutput, events } = setting;
  return createPersonProcess({
    program: start.program,
    // The last of the same option counts, so the person's own takes precedence.
    args: [...start.args, ...args],
    cwd,
    // Hooks reach the runner with these; no secret is in their command lines.
    env: { ...start.env, ...bridge.env },
    mode,
    runFolder,
    onLine: capturesOutput ? events.onTranscript : null,
    undo() {
      const said = start.registration.restore();
      if (said !== null) setting.tell(said);
    },
  });
}
