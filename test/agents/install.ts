/**
 * Installs the real Claude Code and the real Codex for their tests. They take about 0.8 GB, so they are installed on demand
 * into a folder of their own and never into the dependency tree. `SVC_TEST_AGENTS` names an existing installation.
 */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { type InstallableKind, installableKinds } from '../../runner/agents/agent-kinds.ts';
import { claudeCodeDescriptor } from '../../runner/agents/claude-code/descriptor.ts';
import { root } from '../testing/build-once.ts';
import { runCommand } from '../testing/run-command.ts';

const versionByKind: Record<InstallableKind['id'], string> = { 'claude-code': '2.1.197', codex: '0.169.0' };

/** Returns whether the agents are there, and names their folder in `SVC_TEST_AGENTS`. */
export async function requireAgents(): Promise<boolean> {
  const folder = process.env.SVC_TEST_AGENTS ?? join(root, '.agents');
  process.env.SVC_TEST_AGENTS = folder;
  const programs = installableKinds.map(({ install }) =>
    join(folder, 'node_modules', '.bin', install.program),
  );
  if (programs.every(existsSync)) return true;
  console.log(`installing the agents into ${folder} (about 0.8 GB, once)`);
  mkdirSync(folder, { recursive: true });
  const dependencies = Object.fromEntries(
    installableKinds.map(({ id, install }) => [install.npmPackage, versionByKind[id]]),
  );
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }));
  const args = ['install', '--no-audit', '--no-fund', '--ignore-scripts'];
  const { code } = await runCommand('npm', args, { cwd: folder });
  // Puts the program for this platform in its place. npm would ask before it runs such scripts.
  const cwd = join(folder, 'node_modules', claudeCodeDescriptor.install.npmPackage);
  return code === 0 && (await runCommand(process.execPath, ['install.cjs'], { cwd })).code === 0;
}
