/**
 * Settings of Claude Code that keep the team's messages or tools from it (their names and precedence read in the
 * program of 2.1.197). A run changes none of them.
 */
import { z } from 'zod';
import { entryName } from '../../registration/registry-file.ts';
import { type ClaudeSource, claudeSources } from './claude-settings.ts';

const named = z.object({ serverName: z.literal(entryName) });
const wholeServer: readonly unknown[] = [`mcp__${entryName}`, `mcp__${entryName}__*`];

/** Returns the settings of a source that keep the team's tools away. */
function toolSettings({
  disabledMcpjsonServers,
  deniedMcpServers,
  permissions,
}: ClaudeSource['settings']): string[] {
  const has = {
    disabledMcpjsonServers: disabledMcpjsonServers.includes(entryName),
    deniedMcpServers: deniedMcpServers.some((one) => named.safeParse(one).success),
    'permissions.deny': permissions.deny.some((one) => wholeServer.includes(one)),
  };
  return Object.entries(has).flatMap(([name, isSet]) => (isSet ? name : []));
}

/** Returns the setting that turns off the hooks of a run, with its file; null for none. */
function hookSetting(sources: readonly ClaudeSource[]): { path: string; name: string } | null {
  const only = sources.find(({ of, settings }) => of === 'managed' && settings.allowManagedHooksOnly);
  if (only !== undefined) return { path: only.path, name: 'allowManagedHooksOnly' };
  const deciding = sources.find(({ settings }) => settings.disableAllHooks !== undefined);
  return deciding?.settings.disableAllHooks ? { path: deciding.path, name: 'disableAllHooks' } : null;
}

export interface ObstacleRequest {
  cwd: string;
  /** Claude Code's own. */
  configFolder: string;
  /** Whether messages come by hooks. */
  usesHooks: boolean;
  /** The folder of the settings of the machine's administrator. */
  managedFolder?: string;
}

/** Returns a sentence per setting. */
export async function claudeObstacles(request: ObstacleRequest): Promise<string[]> {
  const { cwd, configFolder, usesHooks, managedFolder } = request;
  const sources = await claudeSources(cwd, configFolder, managedFolder);
  const hooks = usesHooks ? hookSetting(sources) : null;
  const tools = sources.flatMap(({ path, settings }) =>
    toolSettings(settings).map(
      (name) =>
        `"${name}" in "${path}" names the server "${entryName}", so Claude Code gets none of the team’s tools until you remove it there.`,
    ),
  );
  if (hooks === null) return tools;
  return [
    `"${hooks.name}" in "${hooks.path}" turns off the hooks that bring messages to Claude Code in a terminal, so messages wait for its next tool call until you remove it there.`,
    ...tools,
  ];
}
