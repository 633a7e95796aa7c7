/** How Claude Code finds the bridge: in `.mcp.json`, or in a private file while another run has the entry there. */
import { rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  entryName,
  FolderTaken,
  type Registration,
  registerBridge,
} from '../../registration/registry-file.ts';
import type { AgentSetting } from '../agent.ts';

export interface ClaudeRegistration {
  registration: Registration;
  /** An option follows them, because `--mcp-config` takes every word up to the next one. */
  args: readonly string[];
}

/** @throws AgentError, with everything as it was. */
export function registerClaude(
  setting: Pick<AgentSetting, 'cwd' | 'member' | 'bridge' | 'runFolder' | 'log'>,
): ClaudeRegistration {
  const { cwd, member, bridge, runFolder, log } = setting;
  try {
    return { registration: registerBridge({ cwd, member, bridge, keptDir: dirname(runFolder) }), args: [] };
  } catch (error) {
    if (!(error instanceof FolderTaken)) throw error;
  }
  log('another run has the registry file of this folder, so the tools come from a private file');
  const path = join(runFolder, 'mcp.json');
  // Of two servers with one name, Claude Code takes the one from --mcp-config (seen on 2.1.197).
  writeFileSync(path, JSON.stringify({ mcpServers: { [entryName]: bridge } }), { mode: 0o600 });
  const registration = {
    path,
    restore() {
      rmSync(path, { force: true });
      return null;
    },
  };
  return { registration, args: ['--mcp-config', path] };
}
