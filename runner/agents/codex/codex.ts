/** Codex as a kind of agent. */
import { dirname, join } from 'node:path';
import { reasonOf } from '#platform/error-text.ts';
import { AgentError, type AgentKind } from '../agent.ts';
import { requireProgram, requireVersion } from '../agent-program.ts';
import { canWake, installCommand } from '../descriptor.ts';
import { createPersonProcess } from '../person-process.ts';
import { needsKeychain, upstreamUrl } from './codex-config.ts';
import { createCodexHome, personHome, readConfig, readLogin, sweepHomes } from './codex-home.ts';
import { codexHooks, installHooks } from './codex-hooks.ts';
import { createOwnedCodex } from './codex-owned.ts';
import { codexDescriptor } from './descriptor.ts';
import { leftBehind } from './person-files.ts';

const { install } = codexDescriptor;
const remedy = `Install it with "${installCommand(install.npmPackage)}".`;
const bypassFlag = '--dangerously-bypass-approvals-and-sandbox';

/** Variables with which Codex logs in without its login file. */
const keyVariables = ['CODEX_API_KEY', 'CODEX_ACCESS_TOKEN'];

/** @throws AgentError if the login cannot reach a run. */
function requireLogin(from: string, env: Readonly<Record<string, string>>): void {
  if (keyVariables.some((name) => Boolean(env[name])) || !needsKeychain(readConfig(from), readLogin(from)))
    return;
  throw new AgentError(
    `"${join(from, 'config.toml')}" lets Codex keep its login in the keychain, which a run cannot use. Set cli_auth_credentials_store = "file" there, and log in again with "codex login".`,
  );
}

export const codex: AgentKind = {
  descriptor: codexDescriptor,
  async capabilities({ env, cwd, mode }) {
    const version = await requireVersion(codexDescriptor, env, cwd);
    return {
      version: `Codex CLI ${version}`,
      canWake: canWake(codexDescriptor, mode),
      hasChannel: false,
      hooks: mode === 'terminal' ? codexHooks : null,
    };
  },
  async prepare(setting) {
    const { env, cwd, mode, args, isUnattended, bridge, modelUrl, instructions, conversation, log } = setting;
    const program = await requireProgram(install.program, env, remedy);
    const runsDir = dirname(setting.runFolder);
    const swept = sweepHomes(runsDir);
    if (swept > 0) log('removed the homes of interrupted runs', { swept });
    const keptDir = mode === 'owned' ? conversation.folder : null;
    const from = personHome(env);
    requireLogin(from, env);
    const left = leftBehind(from);
    if (left !== null) setting.tell(left);
    const home = createCodexHome({ runsDir, env, bridge, modelUrl, instructions, keptDir });
    if (readLogin(from) === 'none') log('there is no login file of Codex', { home: from });
    if (mode === 'owned') return createOwnedCodex(setting, { program, env, home });
    const runEnv = { ...env, CODEX_HOME: home.path };
    try {
      const { runFolder } = setting;
      await installHooks({ program, env: runEnv, home: home.path, cwd, runFolder, bridge });
    } catch (error) {
      // Messages then wait for the agent's tool calls, whose results report them.
      log('the hooks were not installed', { reason: reasonOf(error) });
    }
    if (isUnattended) log('permission questions are bypassed', { flag: bypassFlag });
    return createPersonProcess({
      program,
      args: isUnattended ? [bypassFlag, ...args] : args,
      cwd,
      // Hooks reach the runner with these; no secret is in their command lines.
      env: { ...runEnv, ...bridge.env },
      mode,
      runFolder: setting.runFolder,
      onLine: setting.capturesOutput ? setting.events.onTranscript : null,
      undo: home.remove,
    });
  },
  async upstream({ env }) {
    const home = personHome(env);
    const url = upstreamUrl(readConfig(home), readLogin(home));
    return url === null ? null : { url, api: codexDescriptor.capabilities.exchanges };
  },
};
