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
  /** `managed`: of the machine's administrator, stronger than the command line. `folder`: perhaps of whoever wrote what is in it. */
  of: 'managed' | 'folder' | 'person';
  settings: z.infer<typeof Settings>;
}

async function readSource(path: string, of: ClaudeSource['of']): Promise<ClaudeSource[]> {
  try {
    return [{ path, of, settings: Settings.parse(JSON.parse(await readFile(path, 'utf8'))) }];
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
  const person = join(configFolder, 'settings.json');
  const folder = ['settings.local.json', 'settings.json'].map((name) => join(cwd, '.claude', name));
  const all = [
    readSource(join(managedFolder, 'managed-settings.json'), 'managed'),
    // In the person's home folder, one of them is the person's own.
    ...folder.filter((path) => path !== person).map((path) => readSource(path, 'folder')),
    readSource(person, 'person'),
  ];
  return (await Promise.all(all)).flat();
}

const vendorUrl = 'https://api.anthropic.com';
/** Logins whose address cannot be set. */
const elsewhere = ['CLAUDE_CODE_USE_BEDROCK', 'CLAUDE_CODE_USE_VERTEX', 'CLAUDE_CODE_USE_FOUNDRY'];

/**
 * Returns the address to which the person lets Claude Code send its model requests; null if a run must not redirect them. The address
 * of a folder or an administrator is left to Claude Code: nothing overrides an administrator's, and Claude Code asks the person before
 * it trusts what is in a folder.
 */
export function claudeModelUrl(
  sources: readonly ClaudeSource[],
  env: Readonly<Record<string, string>>,
): string | null {
  const isElsewhere = sources.some(
    ({ of, settings }) => of !== 'person' && settings.env.ANTHROPIC_BASE_URL !== undefined,
  );
  const setValue = (name: string): unknown =>
    sources.find(({ settings }) => settings.env[name] !== undefined)?.settings.env[name] ?? env[name];
  if (isElsewhere || elsewhere.some((name) => Boolean(setValue(name)))) return null;
  const url = setValue('ANTHROPIC_BASE_URL');
  return typeof url === 'string' && url !== '' ? url : vendorUrl;
}
