/**
 * Settings of Claude Code that keep the team's messages or tools from it (their names and precedence read in the
 * program of 2.1.197). A run changes none of them.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { z } from 'zod';
import { entryName } from '../../registration/registry-file.ts';

const managedFolders: Partial<Record<NodeJS.Platform, string>> = {
  darwin: '/Library/Application Support/ClaudeCode',
  win32: 'C:\\Program Files\\ClaudeCode',
};

const Settings = z.looseObject({
  disableAllHooks: z.boolean().optional().catch(undefined),
  allowManagedHooksOnly: z.boolean().optional().catch(undefined),
  disabledMcpjsonServers: z.array(z.unknown()).catch([]),
  deniedMcpServers: z.array(z.unknown()).catch([]),
  permissions: z.looseObject({ deny: z.array(z.unknown()).catch([]) }).catch({ deny: [] }),
});

interface Source {
  path: string;
  isManaged: boolean;
  settings: z.infer<typeof Settings>;
}

async function readSource(path: string, isManaged: boolean): Promise<Source[]> {
  try {
    return [{ path, isManaged, settings: Settings.parse(JSON.parse(await readFile(path, 'utf8'))) }];
  } catch {
    // There is no such file, or nothing that Claude Code would read either.
    return [];
  }
}

/** The strongest first. */
async function readSources(cwd: string, configFolder: string, managedFolder: string): Promise<Source[]> {
  const managed = join(managedFolder, 'managed-settings.json');
  const own = [
    join(cwd, '.claude', 'settings.local.json'),
    join(cwd, '.claude', 'settings.json'),
    // The same file if Claude Code works in the person's home folder.
    join(configFolder, 'settings.json'),
  ];
  const sources = [readSource(managed, true), ...[...new Set(own)].map((path) => readSource(path, false))];
  return (await Promise.all(sources)).flat();
}

const named = z.object({ serverName: z.literal(entryName) });
const wholeServer: readonly unknown[] = [`mcp__${entryName}`, `mcp__${entryName}__*`];

/** Returns the setting of a source that keeps the team's tools away; null for none. */
function toolSetting({
  disabledMcpjsonServers,
  deniedMcpServers,
  permissions,
}: Source['settings']): string | null {
  if (disabledMcpjsonServers.includes(entryName)) return 'disabledMcpjsonServers';
  if (deniedMcpServers.some((one) => named.safeParse(one).success)) return 'deniedMcpServers';
  return permissions.deny.some((one) => wholeServer.includes(one)) ? 'permissions.deny' : null;
}

/** Returns the setting that turns off the hooks of a run, with its file; null for none. */
function hookSetting(sources: readonly Source[]): { path: string; name: string } | null {
  const only = sources.find(({ isManaged, settings }) => isManaged && settings.allowManagedHooksOnly);
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
  const { cwd, configFolder, usesHooks } = request;
  const { managedFolder = managedFolders[process.platform] ?? '/etc/claude-code' } = request;
  const sources = await readSources(cwd, configFolder, managedFolder);
  const hooks = usesHooks ? hookSetting(sources) : null;
  const tools = sources.flatMap(({ path, settings }) => {
    const name = toolSetting(settings);
    return name === null
      ? []
      : [
          `"${name}" in "${path}" names the server "${entryName}", so Claude Code gets none of the team’s tools until you remove it there.`,
        ];
  });
  if (hooks === null) return tools;
  return [
    `"${hooks.name}" in "${hooks.path}" turns off the hooks that bring messages to Claude Code in a terminal, so messages wait for its next tool call until you remove it there.`,
    ...tools,
  ];
}
