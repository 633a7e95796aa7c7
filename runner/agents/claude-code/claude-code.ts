/** Claude Code as a kind of agent. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { entryName } from '../../registration/registry-file.ts';
import { AgentError, type AgentKind, type AgentSetting } from '../agent.ts';
import { requireProgram, requireVersion } from '../agent-program.ts';
import { installCommand } from '../descriptor.ts';
import { statusPath } from '../status-file.ts';
import { canStay, claudeHooks, hookSettings } from './claude-hooks.ts';
import { claudeObstacles } from './claude-obstacles.ts';
import { createOwnedClaude } from './claude-owned.ts';
import { registerClaude } from './claude-registration.ts';
import { continuedSession } from './claude-session.ts';
import { claudeModelUrl, claudeSources } from './claude-settings.ts';
import { ownStatusLine, statusLineSettings } from './claude-status-line.ts';
import { createTerminalClaude, loadsChannel } from './claude-terminal.ts';
import { claudeCodeDescriptor } from './descriptor.ts';

const { install } = claudeCodeDescriptor;
const remedy = `Install it with "${installCommand(install.npmPackage)}".`;

const configFolder = (env: Readonly<Record<string, string>>): string =>
  env.CLAUDE_CONFIG_DIR ?? join(env.HOME ?? env.USERPROFILE ?? '', '.claude');

async function startOf(setting: AgentSetting): Promise<{ args: string[]; env: Record<string, string> }> {
  const { runFolder, instructions, modelUrl, isUnattended, log } = setting;
  const prompt = join(runFolder, 'system-prompt.md');
  await writeFile(prompt, instructions, { mode: 0o600 });
  const args = ['--append-system-prompt-file', prompt, '--allowedTools', 'mcp__svc'];
  const env = { ...setting.env };
  const redirected = modelUrl === null ? {} : { ANTHROPIC_BASE_URL: modelUrl };
  Object.assign(env, redirected);
  // The person's settings take precedence over the environment, and those of the command line over both.
  // Lists from the runner add to the person's own.
  const more =
    setting.mode === 'terminal'
      ? {
          ...hookSettings(setting.bridge, canStay(setting.args)),
          ...statusLineSettings(
            await ownStatusLine(setting.cwd, configFolder(setting.env)),
            statusPath(runFolder),
          ),
          enabledMcpjsonServers: [entryName],
        }
      : {};
  const settings = join(runFolder, 'settings.json');
  await writeFile(settings, JSON.stringify({ env: redirected, ...more }), { mode: 0o600 });
  args.push('--settings', settings);
  if (isUnattended) {
    log('permission questions are bypassed: --dangerously-skip-permissions');
    args.push('--dangerously-skip-permissions');
  }
  return { args, env };
}

export const claudeCode: AgentKind = {
  descriptor: claudeCodeDescriptor,
  async capabilities({ env, cwd, mode, args }) {
    const version = await requireVersion(claudeCodeDescriptor, env, cwd);
    return {
      version: `Claude Code ${version}`,
      canWake: mode === 'owned',
      hasChannel: mode === 'terminal' && loadsChannel(args),
      hooks: mode === 'owned' ? null : canStay(args) ? claudeHooks : { ...claudeHooks, wake: null },
    };
  },
  obstacles: ({ cwd, env, mode }) =>
    claudeObstacles({ cwd, configFolder: configFolder(env), usesHooks: mode === 'terminal' }),
  async prepare(setting) {
    if (setting.args.some((arg) => arg === '--settings' || arg.startsWith('--settings=')))
      throw new AgentError(
        'the run passes --settings itself. Put your settings into .claude/settings.json in the folder, and start again.',
      );
    const program = await requireProgram(install.program, setting.env, remedy);
    const { args, env } = await startOf(setting);
    const { registration, args: registering } = registerClaude(setting);
    const start = { program, args: [...registering, ...args], env, registration };
    const session = await continuedSession(setting, configFolder(setting.env));
    return setting.mode === 'owned'
      ? createOwnedClaude(setting, start, session)
      : createTerminalClaude(setting, start);
  },
  async upstream({ cwd, env }) {
    const url = claudeModelUrl(await claudeSources(cwd, configFolder(env)), env);
    return url === null ? null : { url, api: claudeCodeDescriptor.capabilities.exchanges };
  },
};
