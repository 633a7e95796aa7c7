/**
 * Hooks of Codex in a terminal (seen on 0.169.0): messages come with a prompt, after a tool, and at the end of a
 * turn; no hook wakes an idle agent (specification/runner.md#terminals). Codex runs only hooks that are trusted,
 * so the run trusts its own ones, by their hashes and in its own home.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Program } from '#platform/find-program.ts';
import { startProcess } from '../../process/agent-process.ts';
import type { BridgeCommand } from '../agent.ts';
import { type AgentHooks, type HandoverMoment, type HookMoment, jsonAnswer } from '../agent-hooks.ts';
import { hookCommand } from '../hook-command.ts';
import { createAppServer } from './app-server.ts';

const timeoutSeconds = 30;
const answerTimeoutMs = 10_000;
/** As much as Codex passes on in full. */
const maxContextCharacters = 9900;

const eventByMoment = {
  prompt: 'UserPromptSubmit',
  tools: 'PostToolUse',
  stop: 'Stop',
} as const satisfies Record<HandoverMoment, string>;

export const codexHooks: AgentHooks = {
  maxCharacters: (moment) => (moment === 'stop' ? Number.POSITIVE_INFINITY : maxContextCharacters),
  answer(moment, { text, shown }) {
    // Codex reads no additional context at the end of a turn.
    if (moment === 'stop') return jsonAnswer({ decision: 'block', reason: text, systemMessage: shown });
    const context = { hookEventName: eventByMoment[moment], additionalContext: text };
    return jsonAnswer({ systemMessage: shown, hookSpecificOutput: context });
  },
  wake: null,
  argsForPrompt: (prompt) => ['exec', '--skip-git-repo-check', prompt],
};

const HooksList = z.object({
  data: z.array(
    z.object({
      hooks: z.array(z.object({ key: z.string(), sourcePath: z.string(), currentHash: z.string() })),
    }),
  ),
});

export interface HooksRequest {
  program: Program;
  /** With the CODEX_HOME of the run. */
  env: Readonly<Record<string, string>>;
  home: string;
  cwd: string;
  /** The private folder of the run. */
  runFolder: string;
  bridge: Pick<BridgeCommand, 'command' | 'args'>;
}

/** Writes the hooks into the run's home and trusts exactly these. @throws AgentError if Codex does not know them. */
export async function installHooks(request: HooksRequest): Promise<void> {
  const { program, env, home, cwd, runFolder, bridge } = request;
  const path = join(home, 'hooks.json');
  const hook = (moment: HookMoment) => [
    { hooks: [{ type: 'command', command: hookCommand(bridge, moment), timeout: timeoutSeconds }] },
  ];
  const hooks = {
    [eventByMoment.prompt]: hook('prompt'),
    [eventByMoment.tools]: hook('tools'),
    [eventByMoment.stop]: hook('stop'),
  };
  await writeFile(path, JSON.stringify({ hooks }), { mode: 0o600 });
  const { child, stop } = await startProcess({
    program,
    args: ['app-server'],
    cwd,
    env,
    inTerminal: false,
    runFolder,
  });
  try {
    if (child.stdin === null || child.stdout === null) return;
    child.stderr?.resume();
    const server = createAppServer({
      input: child.stdin,
      output: child.stdout,
      answerTimeoutMs,
      onNotification: () => undefined,
      onRequest: () => null,
      onNoise: () => undefined,
    });
    await server.ask(
      'initialize',
      {
        clientInfo: { name: 'svc', title: 'muster run', version: '1' },
        capabilities: { experimentalApi: true, requestAttestation: false },
      },
      z.object({}),
    );
    server.notify('initialized');
    const { data } = await server.ask('hooks/list', { cwds: [cwd] }, HooksList);
    const own = data.flatMap((folder) => folder.hooks).filter(({ sourcePath }) => sourcePath === path);
    const value = Object.fromEntries(own.map(({ key, currentHash }) => [key, { trusted_hash: currentHash }]));
    const edits = [{ keyPath: 'hooks.state', value, mergeStrategy: 'upsert' }];
    await server.ask('config/batchWrite', { edits, reloadUserConfig: false }, z.object({}));
  } finally {
    child.stdin?.end();
    await stop();
  }
}
