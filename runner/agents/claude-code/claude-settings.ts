/** The settings of Claude Code that a run has to know (their names and precedence read in the program of 2.1.197). */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { z } from 'zod';

const managedFolders: Partial<Record<NodeJS.Platform, string>> = {
  darwin: '/Library/Application Support/ClaudeCode',
  win32: 'C:\\Program Files\\ClaudeCode',
};

const Settings = z.looseObject({
  env: z.record(z.string(), z.unknown()).catch({}),
  disableAllHooks: z.boolean().optional().catch(undefined),
  allowManagedHooksOnly: z.boolean().optional().catch(undefined),
  disabledMcpjsonServers: z.array(z.unknown()).catch([]),
  deniedMcpServers: z.array(z.unknown()).catch([]),
  permissions: z.looseObject({ deny: z.array(z.unknown()).catch([]) }).catch({ deny: [] }),
});

export interface ClaudeSource {
  path: string;
  /** Of the machine's administrator: stronger than the command line. */
  isManaged: boolean;
  settings: z.infer<typeof Settings>;
}

async function readSource(path: string, isManaged: boolean): Promise<ClaudeSource[]> {
  try {
    return [{ path, isManaged, settings: Settings.parse(JSON.parse(await readFile(path, 'utf8'))) }];
  } catch {
    // There is no such file, or nothing that Claude Code would read either.
    return [];
  }
}

/** The strongest first. `configFolder`: Claude Code's own. `managedFolder`: of the settings of the machine's administrator. */
export async function claudeSources(
  cwd: string,
  configFolder: string,
  managedFolder = managedFolders[process.platform] ?? '/etc/claude-code',
): Promise<ClaudeSource[]> {
  const own = [
    join(cwd, '.claude', 'settings.local.json'),
    join(cwd, '.claude', 'settings.json'),
    // The same file if Claude Code works in the person's home folder.
    join(configFolder, 'settings.json'),
  ];
  const managed = readSource(join(managedFolder, 'managed-settings.json'), true);
  const all = [managed, ...[...new Set(own)].map((path) => readSource(path, false))];
  return (await Promise.all(all)).flat();
}

const vendorUrl = 'https://api.anthropic.com';
/** Logins whose address cannot be set. */
const elsewhere = ['CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX', 'CLAUDE_CODE_USE_FOUNDRY'];

/**
 * Returns the address to which Claude Code sends its model requests by itself, where settings take precedence over the environment;
 * null if a run cannot redirect them.
 */
export function claudeModelUrl(
  sources: readonly ClaudeSource[],
  env: Readonly<Record<string, string>>,
): string | null {
  const setValue = (name: string): unknown =>
    sources.find(({ settings }) => settings.env[name] !== undefined)?.settings.env[name] ?? env[name];
  const isManaged = sources.some((one) => one.isManaged && Boolean(one.settings.env.ANTHROPIC_BASE_URL));
  if (isManaged || elsewhere.some((name) => Boolean(setValue(name)))) return null;
  const url = setValue('ANTHROPIC_BASE_URL');
  return typeof url === 'string' && url !== '' ? url : vendorUrl;
}
