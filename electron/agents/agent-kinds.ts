/** Which agents this machine has: their programs on the person's PATH, and what they call their version. */
import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import type { AgentKindView } from '../bridge.ts';

const versionMs = 20_000;

const known = [
  {
    kind: 'claude-code',
    name: 'Claude Code',
    program: 'claude',
    install: 'npm install -g @anthropic-ai/claude-code',
  },
  { kind: 'codex', name: 'Codex', program: 'codex', install: 'npm install -g @openai/codex' },
] as const;

/** `env` is what an agent would get, PATH included. A command of one's own is always there: its program is chosen. */
export async function findAgentKinds(env: Readonly<Record<string, string>>): Promise<AgentKindView[]> {
  const found = await Promise.all(
    known.map(async ({ kind, name, program, install }) => {
      const path = await findProgram(program, env.PATH ?? '');
      return {
        kind,
        name,
        isFound: path !== null,
        version: path === null ? null : await versionOf(path, env),
        install,
      };
    }),
  );
  return [
    ...found,
    { kind: 'command', name: 'Another command', isFound: true, version: null, install: null },
  ];
}

async function findProgram(name: string, path: string): Promise<string | null> {
  const names = process.platform === 'win32' ? [`${name}.exe`, `${name}.cmd`] : [name];
  for (const folder of path.split(delimiter).filter((one) => one !== ''))
    for (const one of names) {
      const program = join(folder, one);
      const isThere = await access(program, constants.X_OK).then(
        () => true,
        () => false,
      );
      if (isThere) return program;
    }
  return null;
}

/** The first line of `--version`; null when it does not answer. */
function versionOf(program: string, env: Readonly<Record<string, string>>): Promise<string | null> {
  return new Promise((resolve) => {
    const done = (error: Error | null, stdout: string): void => {
      const line = stdout.trim().split('\n')[0]?.slice(0, 80) ?? '';
      resolve(error !== null || line === '' ? null : line);
    };
    try {
      execFile(program, ['--version'], { env, cwd: homedir(), timeout: versionMs, windowsHide: true }, done);
    } catch {
      // A .cmd needs a shell, which nothing here gets.
      resolve(null);
    }
  });
}
