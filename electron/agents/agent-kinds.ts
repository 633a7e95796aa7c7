/** Which agents this machine has: their programs on the person's PATH, and what they call their version. */
import { homedir } from 'node:os';
import { findProgram, readVersion } from '#platform/find-program.ts';
import type { AgentKindView } from '../bridge.ts';

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
      const path = await findProgram(program, env);
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

/** The first line of `--version`; null when it does not answer, or needs a shell, which nothing here gets. */
const versionOf = (program: string, env: Readonly<Record<string, string>>): Promise<string | null> =>
  readVersion(program, env, homedir()).then(
    (line) => line.slice(0, 80) || null,
    () => null,
  );
