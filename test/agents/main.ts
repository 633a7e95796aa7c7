/**
 * `npm run test:agents`: tests with the real Claude Code and the real Codex and scripted models. The agents
 * take about 0.8 GB, so they are installed on demand into a folder of their own and never into the dependency
 * tree. `SVC_TEST_AGENTS` names an existing installation.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { type InstallableKind, installableKinds } from '../../runner/agents/agent-kinds.ts';
import { claudeCodeDescriptor } from '../../runner/agents/claude-code/descriptor.ts';

const versionByKind: Record<InstallableKind['id'], string> = { 'claude-code': '2.1.197', codex: '0.169.0' };
const dependencies = Object.fromEntries(
  installableKinds.map(({ id, install }) => [install.npmPackage, versionByKind[id]]),
);

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = process.env.SVC_TEST_AGENTS ?? join(root, '.agents');

function run(command: string, args: string[], cwd: string): void {
  const { status, error } = spawnSync(command, args, {
    cwd,
    stdio: 'inherit',
    shell: process.platform === 'win32',
    env: { ...process.env, SVC_TEST_AGENTS: folder },
  });
  if (error) console.error(error.message);
  if (status !== 0) process.exit(status ?? 1);
}

const programs = installableKinds.map(({ install }) => join(folder, 'node_modules', '.bin', install.program));
if (!programs.every(existsSync)) {
  console.log(`installing the agents into ${folder} (about 0.8 GB, once)`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies }));
  run('npm', ['install', '--no-audit', '--no-fund', '--ignore-scripts'], folder);
  // Puts the program for this platform in its place. npm would ask before it runs such scripts.
  run(
    process.execPath,
    ['install.cjs'],
    join(folder, 'node_modules', claudeCodeDescriptor.install.npmPackage),
  );
}
run('vitest', ['run', '--config', 'vitest.agents.config.ts', ...process.argv.slice(2)], root);
